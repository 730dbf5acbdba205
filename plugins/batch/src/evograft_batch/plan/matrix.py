"""From a batch file to its runs: every combination, resolved to a pipeline of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from evograft.config.loading import pipeline_from
from evograft.config.overrides import with_overrides
from evograft.config.pipeline import Pipeline
from evograft.errors import EvograftError, UserError
from evograft.session.start import check
from evograft_batch.plan.batch_file import BatchFile, Settings, format_value
from evograft_batch.plan.naming import Combination, name_runs
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import thaw


@dataclass(frozen=True)
class PlannedRun:
    """A run of a batch before it is made."""

    name: str
    combination: Combination
    pipeline: Pipeline


def plan_runs(batch: BatchFile, *, source: str) -> tuple[PlannedRun, ...]:
    """Plan all runs, by problem, then by settings, then by seed, in the order of the file.

    Raises:
        UserError: a combination makes no valid pipeline.
    """
    base = pipeline_from(batch.pipeline, source=f"{source}: pipeline").to_data()
    found = list_combinations(batch, source=source)
    planned = []
    for name, combination in zip(name_runs(found), found, strict=True):
        where = f"{source}: run {name}"
        try:
            data = with_overrides(base, _overrides(batch, combination))
        except UserError as err:
            raise UserError(f"{where}: {err}") from err
        planned.append(PlannedRun(name, combination, pipeline_from(data, source=where)))
    return tuple(planned)


def check_runs(runs: Sequence[PlannedRun], *, source: str) -> None:
    """Check everything that can be checked before the first of them starts."""
    for run in runs:
        try:
            check(run.pipeline)
        except EvograftError as err:
            err.args = (f"{source}: run {run.name}: {err}",)
            raise


def list_combinations(batch: BatchFile, *, source: str) -> tuple[Combination, ...]:
    """List what sets the runs apart.

    Raises:
        UserError: an exclusion fits nothing, or nothing is left.
    """
    problems = [problem.name for problem in batch.problems] or [""]
    seeds: Sequence[int | None] = batch.seeds or [None]
    crossed, included = list(_cross(batch)), set(batch.include)
    for settings in included.intersection(crossed):
        raise UserError(f"{source}: include: {format_value(settings)} is in the matrix already")
    made = [Combination(*each) for each in itertools.product(problems, [*crossed, *batch.include], seeds)]
    for entry in batch.exclude:
        if not any(_has(each, entry) for each in made):
            raise UserError(f"{source}: exclude: no combination has {format_value(entry)}")
    kept = [each for each in made if each.settings in included or not _is_excluded(each, batch)]
    if not kept:
        raise UserError(f"{source}: exclude: no combination is left")
    return tuple(kept)


def _cross(batch: BatchFile) -> Iterator[Settings]:
    if batch.include and not batch.matrix:
        return
    for values in itertools.product(*batch.matrix.values()):
        yield FrozenDict(zip(batch.matrix, values, strict=True))


def _is_excluded(combination: Combination, batch: BatchFile) -> bool:
    return any(_has(combination, entry) for entry in batch.exclude)


def _has(combination: Combination, entry: Mapping[str, Any]) -> bool:
    facts = {**combination.settings, "problem": combination.problem, "seed": combination.seed}
    return all(key in facts and format_value(facts[key]) == format_value(value) for key, value in entry.items())


def _overrides(batch: BatchFile, combination: Combination) -> Iterator[str]:
    """Yield the combination as `--set` would be given it; later ones overrule earlier ones."""
    of_problem = next((each.set_ for each in batch.problems if each.name == combination.problem), FrozenDict())
    seed = {} if combination.seed is None else {"seed": combination.seed}
    for settings in (batch.set_, of_problem, combination.settings, seed):
        for key, value in settings.items():
            # JSON would not do: YAML reads its 1e-05 as text.
            text = yaml.safe_dump(thaw(value), default_flow_style=True, allow_unicode=False, width=float("inf"))
            yield f"{key}={text}"

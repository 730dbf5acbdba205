"""The start and resumption of an experiment: what is checked and written before the engine starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evograft.api import Pipeline, RunFolder, UserError, open_journal
from evograft_graph_invariant.experiments.experiment import Experiment
from evograft_graph_invariant.experiments.folder import ExperimentFolder, find_checkpoint_run
from evograft_graph_invariant.experiments.pipeline import Phase, build_pipeline, experiment_id_of, get_model_section
from evograft_graph_invariant.records.checkpoint import Checkpoint, read_checkpoint
from evograft_graph_invariant.records.summary.reader import read_summary

MAY_CHANGE = frozenset({"llm", "executor", "budget", "deadlines", "repairs"})
"""Settings that leave it the same experiment; a run can change more than these."""

SETTLED = frozenset({"window", "order"})
"""Settings that a run fixes when it starts, so that they are in its lock file and in no experiment."""


@dataclass(frozen=True)
class Resumption:
    """The way in which an experiment is resumed."""

    run: RunFolder
    overrides: tuple[str, ...]
    """Settings that the experiment's file has changed since."""
    notes: tuple[str, ...]
    """What the user should know."""


def prepare_start(
    config: Experiment, phase: Phase, *, llm: Mapping[str, Any], source: str
) -> tuple[ExperimentFolder, Pipeline]:
    """Return the folder of a new experiment, and the pipeline to be run there."""
    place = ExperimentFolder.of(config, phase)
    place.require_unused()
    return place, build_pipeline(config, phase, llm=llm, source=source)


def prepare_resume(config: Experiment, phase: Phase, file: Path, *, source: str) -> Resumption:
    """Find the run that a checkpoint resumes."""
    checkpoint = read_checkpoint(file)
    _require_same(checkpoint, config, phase, file, source)
    run = find_checkpoint_run(checkpoint, file)
    now = build_pipeline(config, phase, llm=_plain(run.pipeline)["llm"], source=source)
    return Resumption(run, tuple(_overrides(run.pipeline, now, config, source)), tuple(_notes(checkpoint, file, run)))


def require_phase_one(config: Experiment, path: Path, *, force: bool) -> str:
    """Refuse phase 2 after a phase 1 that failed.

    Returns: what is said about phase 1; nothing, where the experiment names none.
    """
    if config.phase1_summary is None:
        return ""
    summary = read_summary(path.parent / config.phase1_summary)
    finding = summary.verdicts.phase_two if summary.verdicts else None
    if finding is not None and finding.holds:
        return f"phase 1: {finding.why}"
    why = finding.why if finding and finding.why else "its verdict is not recorded"
    if not force:
        raise UserError(f"phase 1 did not succeed ({why}): mend that first, or go on all the same with --force")
    return f"phase 1 did not succeed ({why}); going on all the same"


def _require_same(checkpoint: Checkpoint, config: Experiment, phase: Phase, file: Path, source: str) -> None:
    theirs, ours = (checkpoint.experiment_id, checkpoint.phase), (experiment_id_of(config, phase), phase)
    if theirs != ours:
        raise UserError(
            f"{file} is of experiment {theirs[0]!r}, phase {theirs[1]}, and {source} of {ours[0]!r}, phase {ours[1]}"
        )


def _notes(checkpoint: Checkpoint, file: Path, run: RunFolder) -> Iterator[str]:
    with open_journal(run.path) as journal:
        finished = len(journal.finished_trials())
    if finished != checkpoint.run.commits:
        only = "only " if finished < checkpoint.run.commits else ""
        yield (
            f"{file.name} stands for {checkpoint.run.commits} trials, and the log holds {only}{finished}: "
            "it goes on from "
            "the log"
        )


def _overrides(then: Pipeline, now: Pipeline, config: Experiment, source: str) -> Iterator[str]:
    """Yield the settings that have changed, as `--set` takes them.

    Raises:
        UserError: something that would make another experiment of it.
    """
    before, after = _plain(then), _plain(now)
    changed = [key for key in after if key not in SETTLED and after[key] != before[key]]
    if get_model_section(config) is None or _same_models(before["llm"], after["llm"]):
        changed = [key for key in changed if key != "llm"]
    if fixed := [key for key in changed if key not in MAY_CHANGE]:
        names = [name for key in fixed for name in _names_of(key, before[key], after[key])]
        raise UserError(
            f"{source}: {' and '.join(names)} would change, which makes another experiment of it: "
            "begin it with another "
            f"experiment_id, or change no more than {', '.join(sorted(MAY_CHANGE))}"
        )
    yield from (f"{key}={json.dumps(after[key])}" for key in changed)


def _names_of(key: str, before: Any, after: Any) -> Iterator[str]:
    """Yield a setting's name; options of plugins one by one."""
    if key != "plugins" or [each["name"] for each in before] != [each["name"] for each in after]:
        yield key
        return
    for old, new in zip(before, after, strict=True):
        options = sorted({*old["with"], *new["with"]})
        yield from (f"{new['name']}.{each}" for each in options if old["with"].get(each) != new["with"].get(each))


def _same_models(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Names and prices that the file leaves out were filled in when the run started."""
    if any(before.get(key) != after.get(key) for key in {*before, *after} - {"models"}):
        return False
    then, now = before["models"], after["models"]
    if [model["name"] for model in now] not in ([], [model["name"] for model in then]):
        return False
    return all(
        new["weight"] == old["weight"] and new["price"] in (None, old["price"])
        for old, new in zip(then, now, strict=False)
    )


def _plain(pipeline: Pipeline) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(pipeline.to_data()))
    return data

"""The results of a benchmark: figures of each variant and each baseline over the seeds."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evograft.api import UserError
from evograft_graph_invariant.evaluation.data_splits import OOD_NAMES
from evograft_graph_invariant.experiments.experiment import FULL
from evograft_graph_invariant.records.recorder import get_summary_name
from evograft_graph_invariant.records.summary.model import (
    BaselineRecord,
    BestFormula,
    DecisionRecord,
    ExperimentSummary,
    RecordPart,
)
from evograft_graph_invariant.records.summary.reader import read_summary
from evograft_graph_invariant.scoring.intervals import estimate_mean_interval
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Count, Number, Text

SETS = ("validation", "test", *OOD_NAMES.values())


class MeanEstimate(RecordPart):
    """The mean over the seeds that have the figure."""

    count: Count
    mean: Number
    low: Number | None = None
    """The lower end of the 95 % interval of the mean, by Student's t, of |ρ| on the scale of Fisher's z; `None`: one
    figure has none."""
    high: Number | None = None


class Rate(RecordPart):
    """The frequency with which something holds."""

    holds: Count
    decided: Count
    """The number of runs for which it can be said."""


class BenchmarkRow(RecordPart):
    """A row of the table: a variant of this search, or a method for comparison."""

    name: Text
    is_baseline: bool = False
    runs: Count = 0
    """Runs that have ended with a final evaluation."""
    success: Rate | None = None
    """As specified; `None` of a method for comparison."""
    strict: Rate | None = None
    rho: FrozenDict[Text, MeanEstimate] = FrozenDict()
    """|ρ| by data set."""
    ast_nodes: MeanEstimate | None = None
    seconds: MeanEstimate | None = None
    """Wall time of a run, without the judgement."""
    not_run: Text = ""
    """Why a method is missing."""


class VariantFormula(RecordPart):
    """The best formula of a run."""

    variant: Text
    seed: Count
    formula: Text


class BenchmarkResults(RecordPart):
    """The whole table."""

    experiment_id: Text
    seeds: tuple[Count, ...]
    entries: tuple[BenchmarkRow, ...]
    formulas: tuple[VariantFormula, ...] = ()
    unfinished: tuple[Text, ...] = ()
    """Runs without a judgement."""


def read_results(folder: Path, *, experiment_id: str) -> BenchmarkResults:
    """Read the results of a batch and the summaries of its runs.

    Raises:
        UserError: there are none.
    """
    rows = _rows(folder)
    found = [(row, _summary(folder / "runs" / row["run"])) for row in rows]
    done = [(row, summary) for row, summary in found if summary is not None]
    variants = list(dict.fromkeys(row["problem"] for row in rows))
    full = [summary for row, summary in done if row["problem"] == FULL]
    entries = [_variant(name, [summary for row, summary in done if row["problem"] == name]) for name in variants]
    return BenchmarkResults(
        experiment_id=experiment_id,
        seeds=tuple(dict.fromkeys(row["seed"] for row in rows)),
        entries=(*entries, *_baselines(full)),
        formulas=tuple(
            VariantFormula(variant=row["problem"], seed=row["seed"], formula=summary.best.simplified)
            for row, summary in done
            if summary.best
        ),
        unfinished=tuple(row["run"] for row, summary in found if summary is None),
    )


def estimate_mean(figures: Iterable[float | None]) -> MeanEstimate | None:
    """Return the mean of sizes or times with its interval; `None` if there is no figure."""
    known = [figure for figure in figures if figure is not None]
    if not known:
        return None
    mean = statistics.fmean(known)
    if len(known) == 1:
        return MeanEstimate(count=1, mean=mean)
    from scipy.stats import t

    half = float(t.ppf(0.975, len(known) - 1)) * statistics.stdev(known) / math.sqrt(len(known))
    return MeanEstimate(count=len(known), mean=mean, low=max(0.0, mean - half), high=mean + half)


def estimate_mean_rho(figures: Iterable[float | None]) -> MeanEstimate | None:
    """Return the mean of |ρ| with an interval that stays within [0, 1]; `None` if there is no figure."""
    known = [figure for figure in figures if figure is not None]
    if not known:
        return None
    low, high = estimate_mean_interval(known) or (None, None)
    return MeanEstimate(count=len(known), mean=statistics.fmean(known), low=low, high=high)


def _rows(folder: Path) -> list[dict[str, Any]]:
    file = folder / "results.json"
    try:
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["runs"]
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise UserError(f"{file} cannot be read: {err}") from err
    return rows


def _summary(run: Path) -> ExperimentSummary | None:
    try:
        summary = read_summary(run / get_summary_name(1))
    except UserError:
        return None
    return summary if summary.best is not None and summary.best.test is not None else None


def _variant(name: str, summaries: Sequence[ExperimentSummary]) -> BenchmarkRow:
    best = [summary.best for summary in summaries if summary.best]
    verdicts = [summary.verdicts for summary in summaries if summary.verdicts]
    return BenchmarkRow(
        name=name,
        runs=len(summaries),
        success=_rate(each.success for each in verdicts),
        strict=_rate(each.strict for each in verdicts),
        rho=_means({name: [_rho(each, name) for each in best] for name in SETS}),
        ast_nodes=estimate_mean(each.simplicity.ast_nodes if each.simplicity else None for each in best),
        seconds=estimate_mean(summary.run.seconds if summary.run else None for summary in summaries),
    )


def _rho(best: BestFormula, name: str) -> float | None:
    score = {"validation": best.val, "test": best.test, **best.ood}.get(name)
    return None if score is None or score.rho is None else abs(score.rho)


def _rate(findings: Iterable[DecisionRecord | None]) -> Rate:
    decided = [finding.holds for finding in findings if finding is not None and finding.holds is not None]
    return Rate(holds=sum(decided), decided=len(decided))


def _baselines(summaries: Sequence[ExperimentSummary]) -> Iterator[BenchmarkRow]:
    names = dict.fromkeys(each.name for summary in summaries for each in summary.baselines)
    for name in names:
        rows = [each for summary in summaries for each in summary.baselines if each.name == name]
        yield _baseline(name, rows)


def _baseline(name: str, rows: Sequence[BaselineRecord]) -> BenchmarkRow:
    ran = [row for row in rows if row.ran]
    return BenchmarkRow(
        name=name,
        is_baseline=True,
        runs=len(ran),
        rho=_means({each: [abs(row.rho[each]) for row in ran if each in row.rho] for each in SETS}),
        ast_nodes=estimate_mean(row.ast_nodes for row in ran),
        not_run=next((row.reason for row in rows if not row.ran), ""),
    )


def _means(figures: dict[str, list[float | None]] | dict[str, list[float]]) -> FrozenDict[str, MeanEstimate]:
    means = {name: estimate_mean_rho(values) for name, values in figures.items()}
    return FrozenDict({name: mean for name, mean in means.items() if mean is not None})

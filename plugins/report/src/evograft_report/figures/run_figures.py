"""All figures of a report: views of a run's history, made in one pass; programs are read again where they are shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from evograft.api import Journal, RunFolder, RunHistory
from evograft_report.figures.costs import Costs, build_costs
from evograft_report.figures.failures import Failures
from evograft_report.figures.front import CaseFrontFigures, FrontFigures
from evograft_report.figures.history import FinalFigures, RunEvents, describe_final_evaluation, list_events
from evograft_report.figures.islands import Islands
from evograft_report.figures.line_cycling import CyclingFigures, measure_returns
from evograft_report.figures.lineage import Lineage, trace_lineage
from evograft_report.figures.metrics import Metrics
from evograft_report.figures.overview import Overview, build_overview
from evograft_report.figures.success import Success
from evograft_report.figures.trial_cache import TrialCache
from evograft_report.figures.trial_fold import TrialFold
from evograft_report.figures.trial_points import Point


@dataclass(frozen=True)
class RunFigures:
    """The content of a report."""

    head: Overview
    costs: Costs
    operators: tuple[Success, ...]
    """The most used first."""
    models: tuple[Success, ...]
    pairs: tuple[Success, ...]
    """Operators with models, where there are several of both."""
    members: tuple[Success, ...]
    """Of a composed search; empty where there is one search."""
    lineage: Lineage | None
    """`None`: no trial has a score."""
    metrics: Metrics | None
    """`None`: the best trial has none."""
    front: FrontFigures | None
    """`None`: there are fewer than two objectives."""
    case_front: CaseFrontFigures | None
    """`None`: no selection went by cases."""
    failures: Failures
    islands: Islands
    cycling: CyclingFigures
    history: RunEvents
    judgement: FinalFigures | None
    """`None`: nothing was judged after the search."""
    points: tuple[Point, ...]
    """All trials in the order of their commits; those that wait for their turn at the end."""

    def to_data(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return asdict(self, dict_factory=_plain)


def fold_figures(run: RunFolder, journal: Journal) -> RunFigures:
    """Return the figures of a run, which may be live.

    Raises:
        LogDamaged: the log is not what was written.
    """
    history = RunHistory(journal, run.pipeline)
    fold = TrialFold(history.spending)
    for commit in history.read_on():
        fold.add(commit)
    for commit in history.close():
        fold.add(commit)
    lookup = TrialCache(journal.trial).trial
    best, final, points = history.best, history.final_evaluation, tuple(fold.points)
    return RunFigures(
        head=build_overview(run, history),
        costs=build_costs(history.spending),
        operators=fold.successes.operators,
        models=fold.successes.models,
        pairs=fold.successes.pairs,
        members=fold.successes.members,
        lineage=trace_lineage(lookup(best.number), lookup, fold.model_of) if best else None,
        metrics=fold.metrics.metrics(),
        front=fold.front.figures(),
        case_front=fold.case_front.figures(),
        failures=fold.failures.failures(lookup),
        islands=fold.islands.islands(points),
        cycling=measure_returns(points, lookup),
        history=list_events(run, history.controls),
        judgement=describe_final_evaluation(final, best=best.number if best else None, commits=len(points))
        if final
        else None,
        points=points,
    )


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dataclass as plain data; a sum in which a price is unknown is unknown."""
    data = dict(fields)
    return {**data, "dollars": None} if data.get("unpriced") else data

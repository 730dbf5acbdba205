"""All figures of a report, folded from a run's log in one pass; programs are read again where they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from evograft.log.history import operator_of
from evograft.log.journal import Journal
from evograft.log.records import BillableCall, FinalEvaluation, Finished, Header, Record
from evograft.runs.folder import RunFolder
from evograft.text.escapes import sanitize
from evograft_hookspecs import Control, Problem, Trial
from evograft_report.figures.commit_order import CommitOrder
from evograft_report.figures.costs import CostFold, Costs
from evograft_report.figures.failures import FailureFold, Failures
from evograft_report.figures.history import FinalFigures, RunEvents, describe_final_evaluation, list_events
from evograft_report.figures.islands import IslandFold, Islands
from evograft_report.figures.line_cycling import CyclingFigures, measure_returns
from evograft_report.figures.lineage import Lineage, trace_lineage
from evograft_report.figures.metrics import MetricFold, Metrics
from evograft_report.figures.overview import Overview, Sums, build_overview
from evograft_report.figures.success import Success, Successes
from evograft_report.figures.trial_cache import TrialCache
from evograft_report.figures.trial_points import Outcome, Point


@dataclass(frozen=True)
class RunFigures:
    """What a report says."""

    head: Overview
    costs: Costs
    operators: tuple[Success, ...]
    """The most used first."""
    models: tuple[Success, ...]
    pairs: tuple[Success, ...]
    """Operators with models, where there are several of both."""
    lineage: Lineage | None
    """`None`: no trial has a score."""
    metrics: Metrics | None
    """`None`: the best trial has none."""
    failures: Failures
    islands: Islands
    cycling: CyclingFigures
    history: RunEvents
    judgement: FinalFigures | None
    """`None`: nothing was judged after the search."""
    points: tuple[Point, ...]
    """All trials in the order of their commits; those that wait for their turn at the end."""

    def to_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self, dict_factory=_plain)


def fold_figures(run: RunFolder, journal: Journal) -> RunFigures:
    """Return the figures of a run, which may be live.

    Raises:
        LogDamaged: the log is not what was written.
    """
    fold = _Fold(run)
    for record in journal.records():
        fold.add(record)
    fold.close()
    lookup = TrialCache(journal.trial).trial
    best, points = fold.sums.best_trial, tuple(fold.points)
    operators = fold.successes.operators
    return RunFigures(
        head=build_overview(run, fold.sums),
        costs=fold.costs.costs(operators),
        operators=operators,
        models=fold.successes.models,
        pairs=fold.successes.pairs,
        lineage=None if best is None else trace_lineage(lookup(best), lookup, fold.model_of),
        metrics=fold.metrics.metrics(),
        failures=fold.failures.failures(lookup),
        islands=fold.islands.islands(points),
        cycling=measure_returns(points, lookup),
        history=list_events(run, fold.controls),
        judgement=describe_final_evaluation(fold.judged, best=best, commits=len(points)) if fold.judged else None,
        points=points,
    )


class _Fold:
    """What one pass over the log adds up to."""

    def __init__(self, run: RunFolder) -> None:
        self.sums = Sums()
        self.points: list[Point] = []
        self.costs = CostFold()
        self.successes = Successes(score_of=self._score_of)
        self.metrics = MetricFold()
        self.failures = FailureFold()
        self.islands = IslandFold()
        self.controls: list[Control] = []
        self.judged: FinalEvaluation | None = None
        self._by_number: dict[int, Point] = {}
        self._order = CommitOrder(run.pipeline.commit_order)
        self._last_trial = -1

    def add(self, record: Record) -> None:
        if isinstance(record, Finished):
            self._commit(self._order.add(record))
        elif isinstance(record, BillableCall):
            self.costs.add(record)
        elif isinstance(record, Control):
            self.controls.append(record)
        elif isinstance(record, FinalEvaluation):
            self.judged = record
        elif isinstance(record, Problem):
            self.sums.problem = record
        elif isinstance(record, Header) and record.follows is not None:
            self.sums.follows = len(record.follows)
            self._order = CommitOrder([each.number for each in record.follows])

    def close(self) -> None:
        self._commit(self._order.rest())
        stops = [control for control in self.controls if control.kind == "stop"]
        if stops and self._last_trial < stops[-1].first_trial:
            self.sums.stop = stops[-1].text

    def model_of(self, number: int) -> str:
        point = self._by_number.get(number)
        return point.model if point else ""

    def _score_of(self, number: int) -> float | None:
        point = self._by_number.get(number)
        return point.score if point else None

    def _commit(self, ready: Iterable[Finished]) -> None:
        for finished in ready:
            self._add_trial(finished)

    def _add_trial(self, finished: Finished) -> None:
        trial, operator = finished.trial, operator_of(finished.trial)
        parents = trial.candidate.parents if trial.candidate else ()
        calls = self.costs.settle(trial.number, evaluation=finished.cost)
        model = sanitize(trial.model, 200)
        is_best = self._see(finished)
        self.successes.add(trial, operator, model, is_best=is_best, calls=calls)
        self.metrics.add(trial, is_best=is_best)
        self.failures.add(trial)
        self.islands.add(trial.number, trial.selection, parents)
        point = Point(
            trial=trial.number,
            outcome=_outcome(trial),
            score=trial.score,
            is_best=is_best,
            operator=operator,
            model=model,
            island=trial.selection.island if trial.selection else None,
            has_parents=bool(parents),
            elapsed=finished.elapsed,
            tokens=self.costs.counted.tokens,
            dollars=self.costs.counted.dollars + self.costs.evaluations,
        )
        self.points.append(point)
        self._by_number[trial.number] = point

    def _see(self, finished: Finished) -> bool:
        """Keep what the head says; return whether the trial is the best so far."""
        sums, trial = self.sums, finished.trial
        sums.trials += 1
        sums.elapsed = max(sums.elapsed, finished.elapsed)
        sums.as_of = max(sums.as_of or 0.0, finished.at)
        self._last_trial = max(self._last_trial, trial.number)
        is_best = trial.score is not None and (sums.best_score is None or trial.score > sums.best_score)
        if is_best:
            sums.best_score, sums.best_trial = trial.score, trial.number
        return is_best


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dataclass as plain data; a sum in which a price is unknown is unknown."""
    data = dict(fields)
    return {**data, "dollars": None} if data.get("unpriced") else data


def _outcome(trial: Trial) -> Outcome:
    return "duplicate" if trial.duplicate_of is not None else trial.evaluation.status

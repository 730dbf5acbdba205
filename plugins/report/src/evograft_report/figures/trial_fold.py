"""Sums over the trials of a run for a report: a fold over its commits."""

from __future__ import annotations

from evograft.log.history import Commit, operator_of
from evograft.log.spending import RunSpending
from evograft.text.escapes import sanitize
from evograft_hookspecs import Trial
from evograft_report.figures.failures import FailureFold
from evograft_report.figures.front import CaseFrontFold, FrontFold
from evograft_report.figures.islands import IslandFold
from evograft_report.figures.metrics import MetricFold
from evograft_report.figures.success import Successes
from evograft_report.figures.trial_points import Outcome, Point


class TrialFold:
    """Points, successes, metrics, failures, islands and fronts.

    Args:
        spending: of the run, as it is when each trial is added.
    """

    def __init__(self, spending: RunSpending) -> None:
        self.points: list[Point] = []
        """All trials, in the order in which they were added."""
        self.successes = Successes(score_of=self._score_of)
        self.metrics = MetricFold()
        self.failures = FailureFold()
        self.islands = IslandFold()
        self.front = FrontFold()
        self.case_front = CaseFrontFold()
        self._spending = spending
        self._by_number: dict[int, Point] = {}

    def add(self, commit: Commit) -> None:
        """Add a trial that is committed now."""
        trial, operator = commit.trial, operator_of(commit.trial)
        parents = trial.candidate.parents if trial.candidate else ()
        model = sanitize(trial.model, 200)
        calls = tuple(each.call for each in commit.calls)
        self.successes.add(trial, operator, model, is_best=commit.is_best, calls=calls)
        self.metrics.add(trial, is_best=commit.is_best)
        self.failures.add(trial)
        self.front.add(trial)
        self.case_front.add(trial)
        self.islands.add(trial.number, trial.selection, parents)
        point = Point(
            trial=trial.number,
            outcome=_outcome(trial),
            score=trial.score,
            is_best=commit.is_best,
            operator=operator,
            model=model,
            island=trial.selection.island if trial.selection else None,
            has_parents=bool(parents),
            elapsed=commit.finished.elapsed,
            tokens=self._spending.committed.tokens,
            dollars=self._spending.committed.dollars + self._spending.evaluations,
        )
        self.points.append(point)
        self._by_number[trial.number] = point

    def model_of(self, number: int) -> str:
        """Return the model that a trial asked; empty if it asked none or is not there."""
        point = self._by_number.get(number)
        return point.model if point else ""

    def _score_of(self, number: int) -> float | None:
        point = self._by_number.get(number)
        return point.score if point else None


def _outcome(trial: Trial) -> Outcome:
    return "duplicate" if trial.duplicate_of is not None else trial.evaluation.status

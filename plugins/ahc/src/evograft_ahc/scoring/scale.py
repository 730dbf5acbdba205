"""From a contest's score on a case to points, of which more is always better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evograft_ahc.contests.task import ContestTask, Direction, ScoreKind
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.references import References

FULL = 1e9
"""What contests give for the best solution of a case, where they compare solutions."""

FAR = 1000.0
"""How many times better than its reference a case counts at most, so that none decides alone."""


@dataclass(frozen=True)
class ScoreScale:
    """How a task counts.

    Args:
        references: needed for relative and rank scores, on every case that is scored.
    """

    task: ContestTask
    references: References

    def points(self, case: str, score: float | None) -> float:
        """Return what a score is worth on a case; `None`: the case failed.

        Where there is no reference at all, relative and rank scores are the contest's own, turned where less is better:
        any other number would be the same for all programs.
        """
        if score is None:
            return self.failure
        kind = self.task.score_kind if self.references.programs else "absolute_mean"
        return _POINTS[kind](self, case, score)

    def points_of(self, outcomes: Iterable[CaseOutcome]) -> dict[str, float]:
        return {outcome.case: self.points(outcome.case, outcome.score) for outcome in outcomes}

    def points_on(self, cases: Iterable[str], scores: Mapping[str, float]) -> dict[str, float]:
        """Return the points of an `Evaluation.cases`, in which cases that failed are missing."""
        return {case: self.points(case, scores.get(case)) for case in cases}

    def total(self, points: Sequence[float], cases: int) -> float:
        """Return the score over a given number of cases, estimated if there are points of fewer.

        Only `absolute_sum` is a sum; the other kinds are means, so that sets of any size compare.
        """
        mean = math.fsum(points) / len(points)
        if self.task.score_kind != "absolute_sum":
            return mean
        return math.fsum(points) * (cases / len(points))

    def submission(self, points: Sequence[float], cases: int, *, failed: bool) -> float:
        """Return the score of a submission: in a short contest, one case that fails makes all others worthless."""
        if failed and self.task.format == "short":
            return self.total([self.failure], cases)
        return self.total(points, cases)

    @cached_property
    def failure(self) -> float:
        """What a failed case is worth: the worst that its kind has.

        Nothing, in relative and rank scores and where more is better. A contest in which less is better names a penalty
        in its statement, `failed_score`; where nobody entered it, ten times the worst that a reference has on any case
        is above what an honest attempt would pay.
        """
        if self.task.score_kind in ("relative", "rank") and self.references.programs:
            return 0.0
        if self.task.failed_score is not None:
            return self.task.sign * self.task.failed_score
        if self.task.direction == "max":
            return 0.0
        worst = max(self.references.all_scores(), default=FULL)
        return -(worst + 9 * max(abs(worst), 1.0))


def _absolute(scale: ScoreScale, case: str, score: float) -> float:  # noqa: ARG001 - one of several
    return scale.task.sign * score


def _relative(scale: ScoreScale, case: str, score: float) -> float:
    """Return the billionfold of how the score compares with the best reference; a score that beats it gets more."""
    known = scale.references.on(case)
    if not known:
        return FULL
    best = max(known) if scale.task.direction == "max" else min(known)
    return round(FULL * compute_relative(score, best, scale.task.direction))


def compute_relative(score: float, best: float, direction: Direction) -> float:
    """Return a score as a share of the best one: 1 is as good, more is better, whatever the direction."""
    return _ratio(score, best) if direction == "max" else _ratio(best, score)


def _ratio(part: float, whole: float) -> float:
    if part == whole:
        return 1.0
    return max(0.0, min(FAR, part / whole)) if whole > 0 else FAR


def _rank(scale: ScoreScale, case: str, score: float) -> float:
    """Return the billionfold of the share of the references that are beaten, ties counting half.

    Between references it rises evenly, and beyond the last ones it approaches the ends, so that every gain counts.
    """
    sign = scale.task.sign
    known = sorted(sign * reference for reference in scale.references.on(case))
    return FULL * _standing(known, sign * score) if known else FULL


def _standing(known: Sequence[float], value: float) -> float:
    """Return the place of a value among sorted ones, from 0 to 1."""
    spread = max(known[-1] - known[0], abs(known[0]), 1.0)
    marks = [(mark, _share_below(known, mark)) for mark in sorted(set(known))]
    (lowest, floor), (highest, ceiling) = marks[0], marks[-1]
    if value <= lowest:
        return floor / (1 + (lowest - value) / spread)
    if value >= highest:
        return 1 - (1 - ceiling) / (1 + (value - highest) / spread)
    index = next(index for index, (mark, _) in enumerate(marks) if mark > value)
    (low, below), (high, above) = marks[index - 1], marks[index]
    return below + (above - below) * (value - low) / (high - low)


def _share_below(known: Sequence[float], value: float) -> float:
    below = sum(other < value for other in known)
    return (below + known.count(value) / 2) / len(known)


_POINTS: dict[ScoreKind, Callable[[ScoreScale, str, float], float]] = {
    "absolute_sum": _absolute,
    "absolute_mean": _absolute,
    "relative": _relative,
    "rank": _rank,
}

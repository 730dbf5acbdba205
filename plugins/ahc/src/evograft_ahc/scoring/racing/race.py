"""The race of a candidate against the incumbent, block by block."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import find_failures
from evograft_ahc.scoring.feedback import Ending
from evograft_ahc.scoring.racing.audit import Audit
from evograft_ahc.scoring.racing.bridge_test import is_below
from evograft_ahc.scoring.scale import ScoreScale
from evograft_hookspecs import Evaluation


@dataclass(frozen=True)
class RacingRules:
    """How a race is run."""

    block: int = 5
    """How many cases are run between two looks."""
    error_rate: float = 0.05
    """The chance that a candidate as good as the incumbent is given up, over all looks."""
    seed: int | str = 0
    """Of the order of cases."""
    has_own_order: bool = False
    """Whether other races of the run have other orders: what a part of the cases gave is then no estimate of the whole,
    as they are not equally hard, and the difference from the incumbent is."""
    is_audited: bool = False
    """Whether a candidate that can't reach the incumbent is run on the rest all the same."""


@dataclass(frozen=True)
class RaceResult:
    """What came of a race; `evaluation_of` takes both."""

    outcomes: tuple[CaseOutcome, ...]
    """In the order in which the cases were run."""
    ended: Ending
    """Why there are outcomes of a part of the cases only."""
    estimate: float | None = None
    """The score over all cases, by its differences from the incumbent; `None`: it was not estimated."""
    audit: Audit | None = None


def race(
    judge_run: Callable[[Sequence[str]], Iterable[CaseOutcome]],
    cases: Sequence[str],
    incumbent: Evaluation | None,
    scale: ScoreScale,
    rules: RacingRules,
) -> RaceResult:
    """Run a candidate on blocks of cases for as long as it may beat the incumbent on all of them.

    Args:
        judge_run: runs the candidate on some cases.
        cases: all of them, in any order.
        incumbent: the evaluation to beat, compared case by case; `None`: all cases are run.
        scale: how the task counts.
        rules: blocks, error rate and order.

    Returns:
        With all cases, or with those up to the block after which there was no hope left. A program that solves nothing
        of its first block is not run any further, nor is one at which the contest's own program fails.
    """
    order = shuffle_cases(cases, rules.seed)
    outcomes: list[CaseOutcome] = []
    audited_after = 0
    for block in _blocks(order, rules.block):
        outcomes += judge_run(block)
        ended = "" if audited_after else _ending(outcomes, incumbent, scale, order, rules)
        if len(outcomes) == len(order):
            break
        if ended == "below_bar" and rules.is_audited:
            audited_after = len(outcomes)
        elif ended or _is_broken(outcomes):
            by_difference = rules.has_own_order and ended == "below_bar"
            estimate = _estimate(outcomes, incumbent, scale, order) if incumbent and by_difference else None
            return RaceResult(tuple(outcomes), ended, estimate)
    if not (audited_after and incumbent):
        return RaceResult(tuple(outcomes), "")
    gain = fmean(_compare(outcomes, incumbent, scale))
    return RaceResult(tuple(outcomes), "", audit=Audit(audited_after, gain))


def shuffle_cases(cases: Sequence[str], seed: int | str) -> tuple[str, ...]:
    """Return the order in which cases are run: what holds for a random part of them needs a random order."""
    order = sorted(cases)
    random.Random(seed).shuffle(order)
    return tuple(order)


def _blocks(order: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (order[start : start + size] for start in range(0, len(order), size))


def _is_broken(outcomes: Sequence[CaseOutcome]) -> bool:
    kinds = {outcome.kind for outcome in outcomes}
    return "tester" in kinds or "score" not in kinds


def _ending(
    outcomes: Sequence[CaseOutcome],
    incumbent: Evaluation | None,
    scale: ScoreScale,
    order: Sequence[str],
    rules: RacingRules,
) -> Ending:
    if incumbent is None:
        return ""
    if scale.task.format == "short" and any(outcome.score is None for outcome in outcomes):
        return "failed_case"
    differences = _compare(outcomes, incumbent, scale)
    population = len(_shared(order, incumbent))
    if not 1 < len(differences) < population:
        return ""
    return "below_bar" if is_below(differences, population, rules.error_rate, step=rules.block) else ""


def _shared(order: Sequence[str], incumbent: Evaluation) -> tuple[str, ...]:
    """Return the cases that the incumbent was run on: one from before a change of settings has others."""
    known = set(incumbent.cases) | set(find_failures(incumbent))
    return tuple(case for case in order if case in known)


def _compare(outcomes: Sequence[CaseOutcome], incumbent: Evaluation, scale: ScoreScale) -> list[float]:
    """Return how many points more than the incumbent a candidate has, on each case of both."""
    shared = set(_shared([outcome.case for outcome in outcomes], incumbent))
    theirs = scale.points_on(shared, incumbent.cases)
    ours = scale.points_of(outcome for outcome in outcomes if outcome.case in shared)
    return [points - theirs[case] for case, points in ours.items()]


def _estimate(outcomes: Sequence[CaseOutcome], incumbent: Evaluation, scale: ScoreScale, order: Sequence[str]) -> float:
    """Return the score over all cases: that of the incumbent, moved by the mean difference."""
    difference = fmean(_compare(outcomes, incumbent, scale))
    theirs = scale.points_on(_shared(order, incumbent), incumbent.cases)
    return scale.total([points + difference for points in theirs.values()], len(order))

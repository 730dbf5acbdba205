"""The race of a candidate against the incumbent, block by block."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.scoring.evaluation import find_failures
from evograft_ahc.scoring.feedback import Ending
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
    seed: int = 0
    """Of the order of cases: the same in all races of a run."""


@dataclass(frozen=True)
class RaceResult:
    """What came of a race; `evaluation_of` takes both."""

    outcomes: tuple[CaseOutcome, ...]
    """In the order in which the cases were run."""
    ended: Ending
    """Why there are outcomes of a part of the cases only."""


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
    for block in _blocks(order, rules.block):
        outcomes += judge_run(block)
        ended = _ending(outcomes, incumbent, scale, order, rules)
        if len(outcomes) < len(order) and (ended or _is_broken(outcomes)):
            return RaceResult(tuple(outcomes), ended)
    return RaceResult(tuple(outcomes), "")


def shuffle_cases(cases: Sequence[str], seed: int) -> tuple[str, ...]:
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
    # An incumbent with other cases, from before a change of settings, compares on what it shares with these.
    known = set(incumbent.cases) | set(find_failures(incumbent))
    theirs = scale.points_on(known, incumbent.cases)
    ours = scale.points_of(outcome for outcome in outcomes if outcome.case in known)
    differences = [points - theirs[case] for case, points in ours.items()]
    population = sum(case in known for case in order)
    if not 1 < len(differences) < population:
        return ""
    return "below_bar" if is_below(differences, population, rules.error_rate, step=rules.block) else ""

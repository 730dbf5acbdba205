"""What a check of an evaluator says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from statistics import mean

from evograft_program.trust.checking import EvaluatorCheck, StartCheck, UnwantedCheck
from evograft_program.trust.summary import find_spread

PRECISION = 0.006
"""The standard error of a mean that repeats are to reach, relative to it."""
FEWEST_REPEATS, MOST_REPEATS = 3, 20
NOISY = 0.001
"""Relative differences that are worth a warning."""
MUCH = 0.5
"""The share of the start program's score that nobody should get for nothing."""
TOPS = (1.0, 100.0)
"""Where scales usually end."""
NEAR = 0.8
"""The share of its memory from which on an evaluation is near its limit."""


class Severity(StrEnum):
    """How bad it is."""

    BROKEN = "broken"
    """A search would find programs that are worth nothing."""
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One sentence about an evaluator."""

    severity: Severity
    text: str


def judge(check: EvaluatorCheck) -> tuple[Finding, ...]:
    """Return everything that is to be said, the worst first."""
    found = [*_judge_start(check), *_judge_unwanted(check), *_judge_metrics(check), *_judge_costs(check)]
    return tuple(sorted(found, key=lambda each: list(Severity).index(each.severity)))


def _judge_start(check: EvaluatorCheck) -> Iterator[Finding]:
    start = check.start
    if start is None:
        yield Finding(Severity.NOTE, "There is no start program to compare others with.")
    elif start.failure is not None:
        yield Finding(Severity.BROKEN, f"Your program has no score: {start.failure.reason}.")
    else:
        yield from _judge_noise(start)
        yield from _judge_top(check, mean(start.scores))


def _judge_noise(start: StartCheck) -> Iterator[Finding]:
    largest = max(map(abs, start.scores))
    difference = (max(start.scores) - min(start.scores)) / largest if largest else 0.0
    if not start.is_repeatable:
        yield Finding(
            Severity.WARNING,
            "The same seed gives different scores: the evaluator draws from a clock or a generator of its own, and a "
            "run cannot be repeated exactly. The variable EVOGRAFT_SEED has the seed.",
        )
    if difference > NOISY:
        yield Finding(
            Severity.WARNING,
            f"Two evaluations of one program differ by {_percent(difference)}: use --repeat {_find_repeats(start)}, "
            "and --confirm 3 for new bests.",
        )


def _find_repeats(start: StartCheck) -> int:
    """Return how many evaluations bring the standard error of the mean down to what is wanted."""
    relative = find_spread(start.scores) / abs(mean(start.scores) or 1.0)
    return min(MOST_REPEATS, max(FEWEST_REPEATS, math.ceil((relative / PRECISION) ** 2)))


def _judge_top(check: EvaluatorCheck, score: float) -> Iterator[Finding]:
    rules = check.options.rules
    value = -score if rules.minimise else score
    if rules.bounds is not None:
        top = rules.bounds[0] if rules.minimise else rules.bounds[1]
        if value == top:
            yield Finding(
                Severity.WARNING, f"Your program has {value:g}, the best that --bounds allows: it is saturated."
            )
    elif not rules.minimise and value in TOPS:
        yield Finding(
            Severity.WARNING,
            f"Your program scores {value:g} already: if that is the most there is, the score is saturated and nothing "
            "can be improved.",
        )


def _judge_unwanted(check: EvaluatorCheck) -> Iterator[Finding]:
    scored = [each for each in check.unwanted if each.score is not None]
    ours = check.start.scores if check.start else []
    scores = {*ours, *(each.score for each in scored)}
    if ours and len(scored) > 1 and len(scores) == 1:
        yield Finding(
            Severity.BROKEN, f"Every program scores {ours[0]:g}, broken ones too: this evaluator tells nothing apart."
        )
        return
    for each in scored:
        yield from _judge_score(each, ours)


def _judge_score(unwanted: UnwantedCheck, ours: list[float]) -> Iterator[Finding]:
    assert unwanted.score is not None, "asked of programs with a score only"
    program, score = unwanted.program, unwanted.score + 0.0  # minus 0 is 0
    if not ours:
        yield Finding(Severity.WARNING, f"{program.subject} scores {score:g}: it should be rejected.")
        return
    average = mean(ours)
    is_positive = average > 0 and score > 0
    said = f"{_percent(score / average)} of yours" if is_positive else f"{score:g}, and yours {average:g}"
    if score >= min(ours):
        severity = Severity.BROKEN if program.is_broken else Severity.WARNING
        yield Finding(severity, f"{program.subject} scores {said}.")
    elif program.is_broken and is_positive and score >= MUCH * average:
        yield Finding(Severity.WARNING, f"{program.subject} scores {said}.")


def _judge_metrics(check: EvaluatorCheck) -> Iterator[Finding]:
    """Say which metrics cannot rise any more: a search has nothing to gain there."""
    start = check.start
    if start is None or start.failure is not None:
        return
    first = start.evaluations[0]
    score = check.options.rules.metric or "combined_score"
    full = [name for name, value in first.metrics.items() if value in TOPS and name not in (score, "score")]
    if full:
        yield Finding(Severity.NOTE, f"At 1 or 100 with your program already, maybe saturated: {', '.join(full)}.")


def _judge_costs(check: EvaluatorCheck) -> Iterator[Finding]:
    start, limits = check.start, check.options.limits
    if start is None or start.failure is not None:
        return
    if start.memory_mb > NEAR * limits.memory_mb:
        yield Finding(
            Severity.WARNING,
            f"Your program takes {start.memory_mb:.0f} MB of the {limits.memory_mb} MB that an evaluation may use: see "
            "--memory-mb.",
        )
    repeat = check.options.trust.repeat
    if check.trials is not None:
        seconds = start.seconds * repeat * check.trials / check.jobs
        times = f", {repeat} evaluations each," if repeat > 1 else ""
        yield Finding(
            Severity.NOTE,
            f"{check.trials} trials{times} take {_duration(seconds)} of evaluations, {check.jobs} at a time; what "
            "models take comes on top.",
        )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 1 else f"{100 * share:.0f} %"


def _duration(seconds: float) -> str:
    for name, unit in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * unit:
            return f"about {seconds / unit:.0f} {name}"
    return f"about {seconds:.0f} s"

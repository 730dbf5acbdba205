"""Attempts of late that brought no gain, with their ideas, so that they are not made again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator

from evograft_hookspecs import History, Trial
from evograft_operators.models.text import one_line

IDEA, REASON = 300, 160
"""Characters of an idea, and of a reason, at most."""

DIGITS = 9
"""Of a score: two programs that differ a little are told apart."""


def list_attempts(history: History, told: Collection[int], window: int, most: int) -> tuple[str, ...]:
    """List what models tried lately in vain, the newest first: what became of it, and the idea.

    In vain is what was rejected, and what scored no higher than the best of its parents; without parents, than all
    before.

    Args:
        history: where trials are looked up.
        told: trials that the prompt tells of anyway.
        window: how many of the newest trials are looked through.
        most: how many are listed.
    """
    if not window or not most:
        return ()
    vain = [text for number, text in _describe_vain(history.latest(window), history) if number not in told]
    return tuple(reversed(vain[-most:]))


def write_score(score: float) -> str:
    """Return a score with so many digits that equal ones are equal."""
    return f"{score:.{DIGITS}g}"


def rank_score(trial: Trial) -> float:
    """Return a sort key: the score, and below all scores what has none."""
    return -math.inf if trial.score is None else trial.score


def _describe_vain(latest: Iterable[Trial], history: History) -> Iterator[tuple[int, str]]:
    best: Trial | None = None
    for trial in latest:
        outcome = _describe_outcome(trial, _find_start(trial, history) or best)
        if outcome and trial.model:
            yield trial.number, ": ".join(filter(None, (f"#{trial.number}, {outcome}", _find_idea(trial))))
        best = max(filter(None, (best, trial)), key=rank_score)


def _find_start(trial: Trial, history: History) -> Trial | None:
    """Return the best of its parents."""
    numbers = trial.candidate.parents if trial.candidate else ()
    return max(map(history.trial, numbers), key=rank_score, default=None)


def _describe_outcome(trial: Trial, start: Trial | None) -> str:
    """Return what became of a trial; empty: a gain, or the same program once more."""
    if trial.duplicate_of is not None:
        return ""
    if trial.score is None:
        return f"{trial.evaluation.status} ({one_line(trial.evaluation.reason, REASON)})"
    if start is None or start.score is None or trial.score > start.score:
        return ""
    return f"{write_score(trial.score)} after {write_score(start.score)} of #{start.number}"


def _find_idea(trial: Trial) -> str:
    """Return the idea of a trial's candidate, or of the one that was rejected first."""
    made = [trial.candidate, *(attempt.candidate for attempt in trial.attempts)]
    return one_line(next((each.idea for each in made if each and each.idea), ""), IDEA)

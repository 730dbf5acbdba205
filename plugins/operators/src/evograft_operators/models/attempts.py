"""Attempts of late, with their ideas and what became of them, so that none is made twice."""

from __future__ import annotations

import math
from collections.abc import Collection

from evograft_hookspecs import History, Trial
from evograft_operators.models.text import one_line, write_score

IDEA, REASON = 500, 160
"""Characters of an idea, and of a reason, at most."""


def list_attempts(latest: Collection[Trial], told: Collection[int], history: History, most: int) -> tuple[str, ...]:
    """List what models tried lately, the newest first: what became of it, and the idea.

    Args:
        latest: the newest trials, oldest first.
        told: trials that the prompt tells of anyway.
        history: where parents are looked up.
        most: how many are listed.
    """
    tried = [trial for trial in latest if trial.model and trial.number not in told and trial.duplicate_of is None]
    return tuple(_describe(trial, history) for trial in reversed(tried[-most:])) if most else ()


def rank_score(trial: Trial) -> float:
    """Return a sort key: the score, and below all scores what has none."""
    return -math.inf if trial.score is None else trial.score


def _describe(trial: Trial, history: History) -> str:
    return ": ".join(filter(None, (f"#{trial.number}, {_describe_outcome(trial, history)}", _find_idea(trial))))


def _describe_outcome(trial: Trial, history: History) -> str:
    if trial.score is None:
        return f"{trial.evaluation.status} ({one_line(trial.evaluation.reason, REASON)})"
    numbers = trial.candidate.parents if trial.candidate else ()
    start = max(map(history.trial, numbers), key=rank_score, default=None)
    if start is None or start.score is None:
        return f"{write_score(trial.score, exact=True)} from scratch"
    return f"{write_score(trial.score, exact=True)} from {write_score(start.score, exact=True)} of #{start.number}"


def _find_idea(trial: Trial) -> str:
    """Return the idea of a trial's candidate, or of the one that was rejected first."""
    made = [trial.candidate, *(attempt.candidate for attempt in trial.attempts)]
    return one_line(next((each.idea for each in made if each and each.idea), ""), IDEA)

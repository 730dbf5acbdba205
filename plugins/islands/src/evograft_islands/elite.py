"""A trial as searches remember it."""

from __future__ import annotations

from typing import NamedTuple

from evograft_hookspecs import Trial


class Elite(NamedTuple):
    """A trial as it is remembered: a run may have tens of thousands, so no programs and no evaluations."""

    number: int
    score: float
    candidate: str
    """The candidate's id."""


def find_elite(trial: Trial) -> Elite | None:
    """Return what a trial is remembered as.

    `None` if it may not be a parent: rejected, failed, pruned or a duplicate.
    """
    if trial.score is None or trial.candidate is None or trial.duplicate_of is not None:
        return None
    return Elite(trial.number, trial.score, trial.candidate.id)


def rank(elite: Elite) -> tuple[float, int]:
    """Return a sort key: the best first, and of equals the older trial."""
    return -elite.score, elite.number

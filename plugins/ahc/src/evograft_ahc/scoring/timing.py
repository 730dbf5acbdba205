"""How much of the time limit a program uses, as coarsely as makes runs of a program agree."""

from __future__ import annotations

from collections.abc import Sequence

from evograft_ahc.judging.outcome import CaseOutcome

STEPS = (0.0, 0.125, 0.25, 0.5)


def compute_time_used(outcomes: Sequence[CaseOutcome], limit: float) -> float:
    """Return the share of the limit that an average case takes, rounded down to one of `STEPS`.

    Two runs never take the same time, and an evaluation is part of what equal runs have in common: only what is this
    coarse may stand in it. A program that watches the clock is at 0.5, one that could search more is at 0.
    """
    share = sum(outcome.cpu_seconds for outcome in outcomes) / len(outcomes) / limit
    return max(step for step in STEPS if step <= share)

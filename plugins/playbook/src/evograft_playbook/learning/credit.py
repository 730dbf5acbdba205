"""Credit: whether a bullet made trials better, as an estimate with what chance alone would do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from evograft_hookspecs.values import Count, Number, Value
from evograft_playbook.types import BulletId

LEAST = 8
"""Trials with a bullet, and as many without it: below that a normal distribution is a poor guide."""
EVEN = 0.5
"""The probability of superiority where a bullet makes no difference."""
SURE = 2.576
"""Standard deviations: chance alone goes further 1 time in 100, half of them to either side."""


class BulletEstimate(Value):
    """The effect of a bullet."""

    bullet_id: BulletId
    shown: Count
    """Trials that were shown the bullet."""
    kept_back: Count
    """Trials that it fitted as well, and was kept from by chance."""
    superiority: Number
    """How probably a trial with it gains more than one without it, a tie counting half."""
    margin: Number
    """How far from `EVEN` chance alone leads in 99 of 100 cases."""

    @property
    def verdict(self) -> Literal["helpful", "harmful", "unknown"]:
        if abs(self.superiority - EVEN) <= self.margin:
            return "unknown"
        return "helpful" if self.superiority > EVEN else "harmful"


def estimate_effect(bullet_id: str, shown: Sequence[float], kept_back: Sequence[float]) -> BulletEstimate | None:
    """Estimate a bullet's effect by the Mann-Whitney test (1947).

    The effect is the probability of superiority (Vargha and Delaney, 2000).

    Gains over parents come on any scale, with long tails, many zeros, and programs that are worth nothing at all, so
    only their ranks count. Which fitting bullets a trial is shown is drawn by chance: it depends neither on its parents
    nor on how far the run is, so that a difference between the two groups is the bullet's doing or chance.

    Args:
        bullet_id: of the bullet.
        shown: gains of the trials that were shown it.
        kept_back: gains of those that it was kept from.

    Returns:
        `None` where there are too few, or all are alike.
    """
    many, few = len(shown), len(kept_back)
    if min(many, few) < LEAST:
        return None
    ranks, ties = _ranks((*shown, *kept_back))
    total = many + few
    variance = many * few / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return None
    wins = sum(ranks[:many]) - many * (many + 1) / 2
    return BulletEstimate(
        bullet_id=bullet_id,
        shown=many,
        kept_back=few,
        superiority=wins / (many * few),
        margin=SURE * math.sqrt(variance) / (many * few),
    )


def _ranks(values: Sequence[float]) -> tuple[list[float], int]:
    """Return the rank of each value, and the sum of t³ - t over ties of t values.

    The ranks of equal values are averaged.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, ties, start = [0.0] * len(values), 0, 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    return ranks, ties

"""Axes: from values to places on the drawing, and round numbers between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

TINY = 1e-290
"""Values that differ by less are the same: halves of the smallest floats are nothing."""
WORST = 0.5
"""How much of the others' room on an axis the worst scores may take."""


@dataclass(frozen=True)
class AxisScale:
    """Values between `low` and `high`, laid out from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        # In halves: the span of the largest floats is not a float.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """Return a few round values; only the ends if the values are too near or too far apart for any."""
        span = self.high - self.low
        if not math.isfinite(span) or span <= 1e-9 * max(abs(self.low), abs(self.high)):
            return [self.low, self.high]
        step = _round_step(span / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        # Rounded to the step's decimals, so that 0.1 + 0.2 is 0.3.
        decimals = max(0, 2 - math.floor(math.log10(step)))
        return [round(number * step, decimals) for number in range(first, last + 1)]


def scale(values: Sequence[float], start: float, end: float, *, margin: float = 0.0) -> AxisScale:
    """Return a scale from the least to the greatest of the values, with a margin around them."""
    low, high = min(values), max(values)
    if high - low < TINY:
        room = max(abs(low) * 0.1, TINY) if abs(low) > TINY else 1.0
        low, high = _finite(low - room), _finite(high + room)
    room = (high / 2 - low / 2) * (2 * margin)
    return AxisScale(_finite(low - room), _finite(high + room), start, end)


def floor_of(scores: Sequence[float]) -> float:
    """Return where an axis of scores begins.

    The worst twentieth, which may lie anywhere, must not flatten the rest.

    Args:
        scores: not empty, in the order of the run.
    """
    ordered = sorted(scores)
    low = min(ordered[len(ordered) // 20], _early(scores))
    # A third of the axis is not too much for showing all.
    room = (ordered[-1] / 2 - low / 2) * WORST
    return ordered[0] if low / 2 - ordered[0] / 2 <= room else low


def floor_of_best(scores: Sequence[float]) -> float:
    """Return where an axis begins that is to show how the best improved after the first twentieth of the run."""
    early, best = _early(scores), max(scores)
    return early - (best / 2 - early / 2) if early < best else floor_of(scores)


def _early(scores: Sequence[float]) -> float:
    return max(scores[: len(scores) // 20 + 1])


def _round_step(step: float) -> float:
    size = 10.0 ** math.floor(math.log10(step))
    return next(factor * size for factor in (1, 2, 5, 10) if factor * size >= step * (1 - 1e-9))


def _finite(value: float) -> float:
    return max(-1.7e308, min(1.7e308, value))

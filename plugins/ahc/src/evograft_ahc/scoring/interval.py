"""What a mean of cases says about all cases that there could be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

from evograft_ahc.scoring.student_t import convert_to_student


@dataclass(frozen=True)
class Interval:
    """A mean, and where that of all cases lies with the confidence that was asked for."""

    mean: float
    low: float
    high: float

    def times(self, factor: float) -> Interval:
        """Return the interval of the values times a factor, which may be negative."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.mean, low, high)


def compute_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Compute Student's interval; that of a single value, of which nothing is known, has no width."""
    mean = fmean(values)
    if len(values) == 1:
        return Interval(mean, mean, mean)
    reach = convert_to_student(NormalDist().inv_cdf((1 + confidence) / 2), len(values) - 1)
    half = reach * stdev(values) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half)

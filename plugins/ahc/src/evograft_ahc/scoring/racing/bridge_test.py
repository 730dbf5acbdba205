"""Whether the differences seen so far say that their whole set lies below 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean

from evograft_ahc.scoring.student_t import convert_to_normal

OVERSHOOT = 0.583
"""How far beyond a line, in standard deviations of a step, a random walk is when it is first seen there (Siegmund)."""


def is_below(differences: Sequence[float], population: int, error_rate: float, *, step: int) -> bool:
    """Return whether the mean over the whole population is below 0, as far as a random part of it tells.

    It may be asked again with further differences. Where the mean is not below 0, the chance that one of the answers is
    yes is at most `error_rate`, as far as sums of differences are normal.

    The sum of the first differences, over that of a population whose mean is 0, moves like a Brownian bridge from 0 at
    the beginning to 0 at the end. Such a bridge crosses a straight line that lies `a` away at the beginning and `b` at
    the end with the probability exp(-2ab). With `b` three times `a`, losers are found earlier than with lines that rise
    less or more. Who looks at every so many differences misses the moment of crossing, so the line may lie nearer by
    what is overshot.

    Args:
        differences: what has been seen of the population.
        population: its size.
        error_rate: over all looks.
        step: how many differences come between two looks.
    """
    share = len(differences) / population
    start = math.sqrt(-math.log(error_rate) / 6)
    nearer = min(start / 2, OVERSHOOT * math.sqrt(step / population))
    line = start * (1 + 2 * share) - nearer
    return measure_evidence(differences, population) < -line / math.sqrt(share * (1 - share))


def measure_evidence(differences: Sequence[float], population: int) -> float:
    """Return how many standard deviations the mean lies off 0.

    The differences are a random part of the population.

    Both corrections lessen the evidence of bad differences only: rare great gains may be still to come, and few
    differences, however equal, say no more than as many losses in a row at even odds.
    """
    count = len(differences)
    largest = max(map(abs, differences)) or 1.0
    values = [value / largest for value in differences]
    mean = fmean(values)
    squares = sum((value - mean) ** 2 for value in values)
    if not squares:
        return math.copysign(_certainty(count), mean) if mean else 0.0
    deviation = math.sqrt(squares / (count - 1))
    left = 1 - count / population
    t = mean / deviation * math.sqrt(count / left)
    t = _without_skew(t, max(0.0, _skewness(values, mean, deviation)) / math.sqrt(count), left)
    return max(-_certainty(count), convert_to_normal(t, count - 1))


def _certainty(count: int) -> float:
    """Return what a given number of wins in a row at even odds amounts to; beyond a thousand it is all the same."""
    return -NormalDist().inv_cdf(0.5 ** min(count, 1000))


def _skewness(values: Sequence[float], mean: float, deviation: float) -> float:
    """Estimate a population's skewness from a sample (Fisher and Pearson, adjusted); that of two values is 0."""
    count = len(values)
    cubes = sum((value - mean) ** 3 for value in values)
    return cubes / deviation**3 * count / ((count - 1) * max(1, count - 2))


def _without_skew(t: float, skew: float, left: float) -> float:
    """Apply Hall's transformation, a monotone one: remove from `t` what the skewness of its values has put in.

    The terms are those of Edgeworth's expansion for a sample without replacement. The fewer values are left, the more
    skewed is their mean, which is what is not known yet.

    Args:
        t: of the sample.
        skew: the skewness of its values over the root of their number.
        left: the share of the population that is not in it.
    """
    bend = skew * (1 + left) / (6 * math.sqrt(left))
    return t + bend * t**2 + bend**2 * t**3 / 3 + skew * (2 * left - 1) / (6 * math.sqrt(left))

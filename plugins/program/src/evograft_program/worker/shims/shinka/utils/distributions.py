"""Quantities of the normal distribution and of Student's t, for machines without SciPy."""

from __future__ import annotations

import math

TINY = 1e-300
ENOUGH = 1e-15
MOST_STEPS = 300


def normal_tail(value: float) -> float:
    """Return the probability that a standard normal variable is above a value."""
    return math.erfc(value / math.sqrt(2)) / 2


def student_quantile(probability: float, degrees: int) -> float:
    """Return the value below which Student's t lies with a probability of at least one half."""
    low, high = 0.0, 1.0
    while student_tail(high, degrees) > 1 - probability:
        low, high = high, high * 2
    for _ in range(MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_tail(middle, degrees) > 1 - probability else (low, middle)
    return high


def student_tail(value: float, degrees: int) -> float:
    """Return the probability that Student's t is above a value that is not negative."""
    return _incomplete_beta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    # The fraction converges fast on this side only; the other is its complement.
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _continued_fraction(1 - x, b, a) / b
    return front * _continued_fraction(x, a, b) / a


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    product = d
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            step = c * d
            product *= step
        if abs(step - 1) < ENOUGH:
            break
    return product


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY

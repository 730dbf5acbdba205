"""The fit of linear bounds: linear programs give coefficients, which are snapped to small rational numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.small_programs import minimize
from evograft_graph_invariant.graphs.features import Matrix, Vector

LARGEST_DENOMINATOR = 4
"""Of coefficients."""
LARGEST_COEFFICIENT = 6.0
CONSTANT_DENOMINATOR = 6
SIMPLE_SLOPES = (Fraction(1), Fraction(1, 2), Fraction(2), Fraction(-1))
LARGEST_CONSTANT = 20.0
LARGEST_SHIFT = 100.0
"""Of the constant before the coefficients are snapped."""
CLOSE = 1e-9
"""Within which a number counts as rational."""


def fit_upper_bounds(
    regressors: Matrix, target: Vector, *, most: int = 2
) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """Yield coefficients and constants of upper bounds that hold on all rows and are tight in the mean.

    The first is tightest over all rows; the next over those on which the one before is loosest.

    Args:
        regressors: one row a graph, one column a regressor.
        target: what is never to be above the bound.
        most: linear programs that are solved.
    """
    rows = np.column_stack([regressors, np.ones(len(target))])
    limits = np.array([LARGEST_COEFFICIENT] * regressors.shape[1] + [LARGEST_SHIFT])
    weights = np.ones(len(target))
    for _ in range(most):
        found = minimize(weights @ rows / weights.sum(), rows, target, limits)
        if found is None:
            return
        snapped = snap(found, regressors, target)
        if snapped is not None:
            yield snapped
        slack = rows @ found - target
        weights = (slack > slack.mean()).astype(float)
        if not weights.any():
            return


def fit_simple_bounds(regressor: Vector, target: Vector) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """Yield the upper bounds with simple slopes, whichever of them are tight in the mean."""
    for slope in SIMPLE_SLOPES:
        snapped = snap(np.array([float(slope), 0.0]), regressor[:, None], target)
        if snapped is not None:
            yield snapped


def snap(solution: Vector, x: Matrix, y: Vector) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """Return the nearest small rational coefficients, with the least constant for which they give an upper bound.

    `None` if that constant is not a small rational number.
    """
    numbers = tuple(Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR) for value in solution[:-1])
    rest = y - x @ np.array([float(number) for number in numbers])
    constant = find_rational(float(rest.max()), CONSTANT_DENOMINATOR)
    if constant is None or abs(constant) > LARGEST_CONSTANT or not any(numbers):
        return None
    return numbers, constant


def find_rational(value: float, largest: int) -> Fraction | None:
    """Return the rational number with a denominator of at most this that a number is; `None` if it is none."""
    if not np.isfinite(value):
        return None
    nearest = Fraction(value).limit_denominator(largest)
    return nearest if abs(float(nearest) - value) <= CLOSE * max(1.0, abs(value)) else None


def find_rationals(values: Vector, largest: int) -> npt.NDArray[np.bool_]:
    """Return which numbers are rational with a denominator of at most this."""
    scaled = values[:, None] * np.arange(1, largest + 1)
    with np.errstate(invalid="ignore"):
        near = np.abs(scaled - np.round(scaled)) <= CLOSE * np.maximum(1.0, np.abs(scaled))
    found: npt.NDArray[np.bool_] = near.any(axis=1) & np.isfinite(values)
    return found

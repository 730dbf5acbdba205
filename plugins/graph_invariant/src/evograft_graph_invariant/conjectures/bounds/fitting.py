"""The fit of linear bounds: linear programs give coefficients, which are snapped to small rational numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from evograft_graph_invariant.graphs.features import Matrix, Vector

LARGEST_DENOMINATOR = 4
"""Of coefficients."""
LARGEST_COEFFICIENT = 6.0
CONSTANT_DENOMINATOR = 6
SIMPLE_SLOPES = (Fraction(1), Fraction(1, 2), Fraction(2), Fraction(-1))
LARGEST_CONSTANT = 20.0
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
    points, counts = np.unique(np.column_stack([regressors, target]), axis=0, return_counts=True)
    x, y = points[:, :-1], points[:, -1]
    weights = counts.astype(float)
    for _ in range(most):
        found = _solve(x, y, weights)
        if found is None:
            return
        snapped = snap(found, x, y)
        if snapped is not None:
            yield snapped
        slack = x @ found[:-1] + found[-1] - y
        weights = counts * (slack > slack.mean())
        if not weights.any():
            return


def fit_simple_bounds(regressor: Vector, target: Vector) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """Yield the upper bounds with simple slopes, whichever of them are tight in the mean."""
    for slope in SIMPLE_SLOPES:
        snapped = snap(np.array([float(slope), 0.0]), regressor[:, None], target)
        if snapped is not None:
            yield snapped


def _solve(x: Matrix, y: Vector, weights: Vector) -> Vector | None:
    """Return the coefficients, the constant last, of the bound with the least weighted slack."""
    rows = np.column_stack([x, np.ones(len(x))])
    limits = [(-LARGEST_COEFFICIENT, LARGEST_COEFFICIENT)] * x.shape[1] + [(-100.0, 100.0)]
    found = linprog(weights @ rows / weights.sum(), A_ub=-rows, b_ub=-y, bounds=limits, method="highs")
    solution: Vector | None = found.x if found.success else None
    return solution


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

"""Linear programs of a few unknowns with thousands of constraints: the dual simplex method.

A general solver takes longer to set up such a program than to solve it, and a study solves a hundred thousand of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.graphs.features import Matrix, Vector

FEASIBLE = 1e-9
"""By how much a constraint whose row has the length 1 may be violated."""
PIVOT = 1e-9
"""The least share of a constraint of the basis in the one that enters."""
MOST_PIVOTS = 200
"""Programs need some ten; one that cycles is given up."""


def minimize(cost: Vector, rows: Matrix, least: Vector, limits: Vector) -> Vector | None:
    """Return the `x` with the least `cost @ x` for which `rows @ x >= least` and `abs(x) <= limits`.

    Returns:
        `None` if there is none, or if it was not found within `MOST_PIVOTS`.
    """
    a, b = _write_constraints(rows, least, limits)
    # At the bounds of the box that the cost asks for, a basis that is optimal but violates other constraints.
    basis = len(rows) + np.arange(len(cost)) + np.where(cost < 0, len(cost), 0)
    for _ in range(MOST_PIVOTS):
        inverse = np.linalg.inv(a[basis])
        x: Vector = inverse @ b[basis]
        gaps = a @ x - b
        worst = int(gaps.argmin())
        if gaps[worst] >= -FEASIBLE:
            return x
        leaving = _find_leaving(cost @ inverse, a[worst] @ inverse)
        if leaving is None:
            return None
        basis[leaving] = worst
    return None


def _write_constraints(rows: Matrix, least: Vector, limits: Vector) -> tuple[Matrix, Vector]:
    """Return all constraints with rows of the length 1, those of the box last."""
    lengths = np.maximum(np.linalg.norm(rows, axis=1), FEASIBLE)
    box: npt.NDArray[np.float64] = np.eye(len(limits))
    return (
        np.concatenate([rows / lengths[:, None], box, -box]),
        np.concatenate([least / lengths, -limits, -limits]),
    )


def _find_leaving(multipliers: Vector, shares: Vector) -> int | None:
    """Return which constraint of the basis makes room: the first whose multiplier falls to zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(shares > PIVOT, np.maximum(multipliers, 0) / shares, np.inf)
    place = int(ratios.argmin())
    return place if np.isfinite(ratios[place]) else None

"""The distance of a bound from the target, and the graphs on which it lies on the wrong side of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.graphs.features import Vector

Side = Literal["upper", "lower"]

TOLERANCE = 1e-9
"""A bound may miss the target by this share of it: eigenvalues and sums are rounded, and many bounds are met
exactly."""

SMALLEST = 1e-12
"""Gaps are relative to the target; to this where the target is closer to 0."""


@dataclass(frozen=True)
class Gaps:
    """A bound on some graphs, one entry a graph in each vector."""

    gap: Vector
    """The distance from the target to the bound, relative to the target; negative on the wrong side, NaN without a
    value."""

    @property
    def violated(self) -> npt.NDArray[np.bool_]:
        """Return where it is not a bound. No value is as wrong as can be: a bound says something on every graph."""
        return ~(self.gap >= -TOLERANCE)

    @property
    def holds(self) -> bool:
        return not self.violated.any()

    @property
    def mean_gap(self) -> float:
        """Relative, over the graphs on which it holds; NaN where there are none."""
        kept = self.gap[~self.violated]
        return float(kept.mean()) if len(kept) else float("nan")

    @property
    def tightness(self) -> float:
        """In (0, 1], 1 if the bound is the target: the mean of 1 / (1 + gap). For an upper bound, target over bound."""
        with np.errstate(invalid="ignore"):
            return float((1.0 / (1.0 + np.clip(self.gap, 0.0, None))).mean())

    @property
    def wrongness(self) -> float:
        """Return the mean of the share of graphs that violate it and of how much each does, in [0, 1]; 0: it holds."""
        size = np.where(np.isnan(self.gap), np.inf, np.clip(-self.gap, 0.0, None))[self.violated]
        shares = 1.0 - 1.0 / (1.0 + size)
        return float(len(size) + shares.sum()) / (2 * len(self.gap))

    @property
    def worst(self) -> float:
        """The largest relative violation, 0 if there is none, infinite where there is no value."""
        size = np.where(np.isnan(self.gap), np.inf, -self.gap)[self.violated]
        return float(size.max()) if len(size) else 0.0


def measure_gaps(values: Vector, target: Vector, side: Side) -> Gaps:
    with np.errstate(invalid="ignore", over="ignore"):
        difference = values - target if side == "upper" else target - values
        relative = difference / np.maximum(np.abs(target), SMALLEST)
    return Gaps(np.where(np.isfinite(values), relative, np.nan))


def compute_bound_score(seen: Gaps, *, tightness: float, cost: float) -> float:
    """Return the score that a search for bounds climbs.

    In (0, 1] for a valid bound, the tighter the better; in [-1, 0) for one that some graph violates, the better the
    fewer graphs do and the less. So every valid bound is above every other one, and there is a way up to it.

    Args:
        seen: on all graphs of the search.
        tightness: on those that the bound is to be tight on.
        cost: what the formula's size costs, from 0; it divides, and so leaves valid bounds above the others.
    """
    return tightness / (1.0 + cost) if seen.holds else -seen.wrongness

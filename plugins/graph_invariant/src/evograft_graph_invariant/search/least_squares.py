"""The distance and direction in which a formula follows the target better: least squares, no trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.scoring.correlation import Matrix, Vector, center

MOVE = 1e-4
"""The distance, in its standard deviations, that a part is moved to see what the whole does."""

FREE = 1e-6
"""The least share of a direction that is not the whole's own: along that, nothing can be gained."""


@dataclass(frozen=True)
class StraightForm:
    """A formula's values, or their logarithms, and the function of the target that they are closest to a line in."""

    values: Vector
    target: Vector
    """Mean 0 and length 1."""
    is_logarithm: bool

    def residual(self, values: Vector) -> Vector:
        """Return what a line through other values of the formula leaves of the target; all of it without a line."""
        with np.errstate(all="ignore"):
            seen = np.log(np.abs(values)) if self.is_logarithm else values
        if seen.shape != self.target.shape or not np.isfinite(seen).all():
            return self.target
        line = center(seen)
        rest: Vector = self.target - line * line.dot(self.target)
        return rest


@dataclass(frozen=True)
class Slope:
    """The change of the whole with one of its parts, graph by graph."""

    straight: StraightForm
    by_part: Vector

    @classmethod
    def between(cls, straight: StraightForm, before: Vector, after: Vector, *, distance: float) -> Slope | None:
        """Return the slope from the whole's values on both sides of a part's; `None` if there are none."""
        with np.errstate(all="ignore"):
            by_part = (after - before) / distance
            if straight.is_logarithm:
                by_part = by_part * 2 / (after + before)
        return cls(straight, by_part) if np.isfinite(by_part).all() else None

    def amounts(self, directions: Matrix) -> Vector:
        """Return how far the part is to go in each direction, one per row; NaN where that makes no difference."""
        whole = center(self.straight.values)
        length = self.straight.values.std() * len(whole) ** 0.5
        changes = directions * self.by_part
        changes -= changes.mean(axis=1, keepdims=True)
        along, towards = changes @ whole, changes @ self.straight.target
        squares = (changes * changes).sum(axis=1)
        free = squares - along * along
        fitted = whole @ self.straight.target
        weights = (towards - along * fitted) / np.where(free > FREE * squares, free, np.nan)
        amounts: Vector = weights * length / (fitted - weights * along)
        return amounts

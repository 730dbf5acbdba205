"""How far a number may be moved: the coordinate in which an optimiser sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass

STEP = math.log(1.5)
"""One unit of a coordinate: a number is half as large again, or a third smaller."""
FARTHEST = 8.0
"""Units that a number may be moved."""
NEAR_ONE = 0.9
"""From here to 1 numbers are rates, such as 0.995: their distance from 1 is what is moved."""


@dataclass(frozen=True)
class LiteralScale:
    """From the value of a literal to a coordinate that is 0 where the search began, and back."""

    begin: float
    is_integer: bool

    def place(self, value: float) -> float:
        """Return the coordinate of a value; of one that cannot be reached, an end."""
        ratio = self._size(value) / self._size(self.begin)
        place = math.log(ratio) / self._step if ratio > 0 else -FARTHEST
        return min(max(place, -FARTHEST), FARTHEST)

    def value(self, place: float) -> float:
        """Return the value at a coordinate, as it is written."""
        size = self._size(self.begin) * math.exp(self._step * min(max(place, -FARTHEST), FARTHEST))
        value = 1.0 - size if self._is_rate else size
        return float(max(round(value), 1)) if self.is_integer else value

    @property
    def _is_rate(self) -> bool:
        return not self.is_integer and NEAR_ONE <= self.begin < 1.0

    @property
    def _step(self) -> float:
        """For a small integer, as much as makes it the next one."""
        return max(STEP, math.log1p(1 / self.begin)) if self.is_integer else STEP

    def _size(self, value: float) -> float:
        return 1.0 - value if self._is_rate else value

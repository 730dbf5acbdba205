"""A number of a program that may be another one, and the range it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evograft_ahc.search.tuning.literal import LiteralForm


@dataclass(frozen=True)
class ParameterRange:
    """From where to where; values are places from 0 to 1 on it."""

    low: float
    high: float
    is_log: bool = False

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise ValueError(f"{self.low:g}..{self.high:g} has no lower and higher end")
        if self.is_log and self.low <= 0:
            raise ValueError(f"{self.low:g}..{self.high:g} log begins at 0 or below")

    def place(self, value: float) -> float:
        """Return where a value lies; values outside lie at an end."""
        value = min(max(value, self.low), self.high)
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """Return what lies at a place; places outside are the ends."""
        place = min(max(place, 0.0), 1.0)
        value = self.low * (self.high / self.low) ** place if self.is_log else self.low + place * (self.high - self.low)
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class TunableParameter:
    """A number where it stands."""

    name: str
    """Of what it initialises; empty: it stands within an expression."""
    start: int
    end: int
    """Bytes in the source."""
    value: float
    form: LiteralForm
    range: ParameterRange
    is_marked: bool = False

"""A number of a program that may be another one, and the range it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evograft_ahc.search.tuning.literal import DIGITS, LiteralForm


@dataclass(frozen=True)
class ParameterRange:
    """From where to where; values are places from 0 to 1 on it."""

    low: float
    high: float
    is_log: bool = False
    is_from_one: bool = False
    """Whether the distance to 1 is what is searched by orders of magnitude: 0.99, 0.999, 0.9999."""

    def __post_init__(self) -> None:
        if not -math.inf < self.low < self.high < math.inf:
            raise ValueError(f"{self.low:g}..{self.high:g} has no lower and higher end")
        if self.is_log and self.low <= 0:
            raise ValueError(f"{self.low:g}..{self.high:g} log begins at 0 or below")
        if self.is_from_one and self.high >= 1:
            raise ValueError(f"{self.low:g}..{self.high:g} does not end below 1")

    def place(self, value: float) -> float:
        """Return where a value lies; values outside lie at an end."""
        value = min(max(value, self.low), self.high)
        if self.is_from_one:
            return math.log((1 - self.low) / (1 - value)) / math.log((1 - self.low) / (1 - self.high))
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """Return what lies at a place; places outside are the ends."""
        place = min(max(place, 0.0), 1.0)
        if self.is_from_one:
            value: float = 1 - (1 - self.low) * ((1 - self.high) / (1 - self.low)) ** place
        elif self.is_log:
            value = self.low * (self.high / self.low) ** place
        else:
            value = self.low + place * (self.high - self.low)
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

    def write(self, value: float) -> str:
        """Return another value as the program writes it; near 1, with digits of the distance to 1."""
        return self.form.write(value, digits=count_digits(value) if self.range.is_from_one else DIGITS)


def count_digits(value: float) -> int:
    """Return how many significant digits a number below 1 needs, so that its distance to 1 has `DIGITS`."""
    return DIGITS - 1 - math.floor(math.log10(1 - value)) if value < 1 else DIGITS

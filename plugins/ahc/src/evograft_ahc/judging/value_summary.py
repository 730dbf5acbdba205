"""What a program printed about itself, over all cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evograft_ahc.judging.outcome import CaseOutcome


@dataclass(frozen=True)
class ValueSummary:
    """A value of a program's standard error."""

    name: str
    cases: int
    """On which it was printed."""
    mean: float
    low: float
    high: float

    def as_data(self) -> dict[str, float]:
        return {"cases": self.cases, "mean": self.mean, "min": self.low, "max": self.high}


def summarize_values(outcomes: Iterable[CaseOutcome]) -> tuple[ValueSummary, ...]:
    """Return the values of a program, in the order in which they were first printed."""
    found: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.values.items():
            found.setdefault(name, []).append(value)
    return tuple(
        ValueSummary(name, len(values), sum(values) / len(values), min(values), max(values))
        for name, values in found.items()
    )

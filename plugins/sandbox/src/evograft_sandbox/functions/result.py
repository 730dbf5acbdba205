"""The result of a candidate."""

from __future__ import annotations

import array
from dataclasses import dataclass


@dataclass(frozen=True)
class FunctionResult:
    """The raw values of a candidate, or why there are none."""

    values: array.array[float] | None
    """One float64 per item, NaN where that item failed; `None` when the candidate failed as a whole."""
    error: str = ""
    """Why it failed as a whole, one line that a model can act on; empty if it did not."""
    item_errors: tuple[tuple[int, str], ...] = ()
    """The first failing items, each with its reason."""
    failed_items: int = 0
    cpu_seconds: float = 0.0
    """User and system time of the candidate's process, its fork and lock-down included."""

    @classmethod
    def failed(cls, error: str, *, cpu_seconds: float = 0.0) -> FunctionResult:
        return cls(None, error, cpu_seconds=cpu_seconds)

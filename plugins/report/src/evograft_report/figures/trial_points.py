"""A trial as the charts need it: a few numbers, so that a long run fits into memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["ok", "duplicate", "pruned", "rejected", "failed"]


@dataclass(frozen=True, slots=True)
class Point:
    """One committed trial."""

    trial: int
    outcome: Outcome
    """A duplicate is one, whatever its evaluation says."""
    score: float | None
    """The score, of duplicates too; `None` when it is not ok."""
    is_best: bool
    """Whether it scored higher than all before."""
    operator: str
    """The operator that was to make it: that of the proposal that was drawn."""
    model: str
    """The model it asked; empty: none."""
    island: int | None
    """`None` for seeds."""
    has_parents: bool
    elapsed: float
    """Wall seconds that the run had worked when it was finished."""
    tokens: int
    """Tokens of all calls up to this commit."""
    dollars: float
    """The same, as far as prices are known, and what evaluations said they cost."""

"""Costs of a run: how much, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evograft.log.spending import RunSpending, Spending
from evograft.text.escapes import sanitize


@dataclass(frozen=True)
class CostRow:
    """A sum of calls."""

    name: str
    calls: int
    refused: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    """`None`: the price of a call is unknown."""
    unpriced: int
    """Calls whose price is unknown."""
    seconds: float
    """Wall time of all calls, one after another."""


@dataclass(frozen=True)
class Costs:
    """The cost table."""

    total: CostRow
    by_model: tuple[CostRow, ...]
    by_operator: tuple[CostRow, ...]
    """Calls within finished trials, by the operator that was drawn."""
    outside: tuple[CostRow, ...]
    """Other calls, by hook and plugin."""
    unfinished: CostRow
    """Calls of trials that were not finished: those in flight, and those that were given up."""
    evaluations: float
    """US dollars that evaluations said they cost."""
    dollars: float | None
    """Everything together; `None`: a price is unknown."""


def build_costs(spending: RunSpending) -> Costs:
    """Return the cost table of what a run has spent."""
    return Costs(
        total=_row("", spending.total),
        by_model=_rows(spending.by_model),
        by_operator=_rows(spending.by_operator),
        outside=_rows(spending.by_caller),
        unfinished=_row("", spending.unfinished),
        evaluations=spending.evaluations,
        dollars=spending.dollars,
    )


def _rows(spendings: Mapping[str, Spending]) -> tuple[CostRow, ...]:
    rows = [_row(name, spending) for name, spending in spendings.items() if spending.calls]
    return tuple(sorted(rows, key=lambda row: (-(row.dollars or 0.0), -row.prompt_tokens, row.name)))


def _row(name: str, spending: Spending) -> CostRow:
    return CostRow(
        name=sanitize(name, 200),
        calls=spending.calls,
        refused=spending.refused,
        prompt_tokens=spending.prompt_tokens,
        completion_tokens=spending.completion_tokens,
        dollars=spending.known_dollars,
        unpriced=spending.unpriced,
        seconds=round(spending.seconds, 3),
    )

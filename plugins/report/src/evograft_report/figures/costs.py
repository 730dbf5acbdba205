"""What a run has cost, and for what."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from evograft.log.records import BillableCall
from evograft.log.spending import Spending
from evograft.text.escapes import sanitize
from evograft_report.figures.success import Success

IN_TRIAL = frozenset({"select", "propose", "mutate"})
"""Hooks whose calls belong to their trial; observers are told of a trial after it is done."""


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


class CostFold:
    """Adds calls up; those of a trial are kept until it is committed."""

    def __init__(self) -> None:
        self.total = Spending()
        self.evaluations = 0.0
        self._by_model: defaultdict[str, Spending] = defaultdict(Spending)
        self._outside: defaultdict[str, Spending] = defaultdict(Spending)
        self._pending: defaultdict[int, list[BillableCall]] = defaultdict(list)
        self._counted = Spending()

    @property
    def counted(self) -> Spending:
        """The calls of committed trials, and those outside of trials, up to now."""
        return self._counted

    def add(self, call: BillableCall) -> None:
        self.total.add(call)
        self._by_model[call.model].add(call)
        if call.trial is not None and call.hook in IN_TRIAL:
            self._pending[call.trial].append(call)
            return
        self._outside[f"{call.hook} · {call.plugin}"].add(call)
        self._counted.add(call)

    def settle(self, trial: int, *, evaluation: float) -> list[BillableCall]:
        """Return the calls of a trial that is committed now."""
        self.evaluations += evaluation
        calls = self._pending.pop(trial, [])
        for call in calls:
            self._counted.add(call)
        return calls

    def costs(self, operators: tuple[Success, ...]) -> Costs:
        unfinished = Spending()
        for calls in self._pending.values():
            for call in calls:
                unfinished.add(call)
        return Costs(
            total=_row("", self.total),
            by_model=_rows(self._by_model),
            by_operator=_rows({row.operator: row.spent for row in operators}),
            outside=_rows(self._outside),
            unfinished=_row("", unfinished),
            evaluations=self.evaluations,
            dollars=None if self.total.unpriced else self.total.dollars + self.evaluations,
        )


def _rows(spendings: dict[str, Spending]) -> tuple[CostRow, ...]:
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

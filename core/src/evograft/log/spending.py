"""Sums of calls of models: how many, what they took, and what they have cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from evograft.log.records import BillableCall, FailedCharge

IN_TRIAL = frozenset({"select", "propose", "mutate"})
"""Hooks whose calls belong to their trial; observers are told of a trial after it is done."""


@dataclass
class Spending:
    """A sum of calls."""

    calls: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    """Those of them that nobody has counted."""
    dollars: float = 0.0
    unpriced: int = 0
    """Calls whose price is unknown: they are not in `dollars`."""
    seconds: float = 0.0

    @classmethod
    def of(cls, calls: Iterable[BillableCall]) -> Self:
        """Return the sum of calls."""
        spending = cls()
        for each in calls:
            spending.add(each)
        return spending

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def answered(self) -> int:
        return self.calls - self.refused

    @property
    def known_dollars(self) -> float | None:
        """Return the dollars, or `None` where a call's price is unknown, which is not the same as 0."""
        return None if self.unpriced else self.dollars

    def add(self, paid: BillableCall) -> None:
        """Count a call, or a request that got no answer."""
        usage = paid.usage
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.estimated_tokens += (usage.prompt_tokens + usage.completion_tokens) * usage.estimated
        self.dollars += usage.dollars or 0.0
        if isinstance(paid, FailedCharge):
            self.unpriced += usage.dollars is None
            return
        self.calls += 1
        self.refused += bool(paid.refused)
        self.unpriced += usage.dollars is None and not paid.refused
        self.seconds += paid.seconds


@dataclass(frozen=True)
class LoggedCall:
    """A call of a model, with the place of its row in the log."""

    place: int
    call: BillableCall


class RunSpending:
    """What a run has spent: a fold over its calls and commits. The calls of a trial are kept until it is committed."""

    def __init__(self) -> None:
        self.total = Spending()
        """All calls in the log."""
        self.committed = Spending()
        """The calls of committed trials, and those outside of trials."""
        self.by_model: defaultdict[str, Spending] = defaultdict(Spending)
        """All calls, by model, in the order in which each was first called."""
        self.by_operator: defaultdict[str, Spending] = defaultdict(Spending)
        """The calls of committed trials, by the operator that was drawn."""
        self.by_caller: defaultdict[str, Spending] = defaultdict(Spending)
        """The calls outside of trials, by hook and plugin."""
        self.total_evaluations = 0.0
        """US dollars that evaluations of finished trials say they cost."""
        self.evaluations = 0.0
        """US dollars that evaluations of committed trials say they cost."""
        self._in_flight: defaultdict[int, list[LoggedCall]] = defaultdict(list)

    def add(self, place: int, call: BillableCall) -> None:
        """Count a call whose row stands at a place of the log."""
        self.total.add(call)
        self.by_model[call.model].add(call)
        if call.trial is not None and call.hook in IN_TRIAL:
            self._in_flight[call.trial].append(LoggedCall(place, call))
            return
        self.by_caller[f"{call.hook} · {call.plugin}"].add(call)
        self.committed.add(call)

    def calls_of(self, trial: int) -> tuple[LoggedCall, ...]:
        """Return the calls of a trial that is not committed, in order."""
        return tuple(self._in_flight.get(trial, ()))

    def commit(self, trial: int, operator: str, *, evaluation: float) -> tuple[LoggedCall, ...]:
        """Return the calls of a trial that is committed now, and let them count.

        Args:
            trial: its number.
            operator: that was drawn.
            evaluation: what it has cost, in US dollars.
        """
        calls = tuple(self._in_flight.pop(trial, ()))
        for each in calls:
            self.committed.add(each.call)
            self.by_operator[operator].add(each.call)
        self.evaluations += evaluation
        return calls

    @property
    def dollars(self) -> float | None:
        """Return what all calls and evaluations have cost; `None`: a price is unknown."""
        known = self.total.known_dollars
        return None if known is None else known + self.total_evaluations

    @property
    def unfinished(self) -> Spending:
        """Return the sum of the calls of trials that are not committed: in flight, waiting, or given up."""
        return Spending.of(each.call for calls in self._in_flight.values() for each in calls)

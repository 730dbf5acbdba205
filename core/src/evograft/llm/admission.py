"""Whose turn it is to ask a model: so many calls at a time, within the budget, in the order of trials."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evograft.config.pipeline import Budget
from evograft.errors import BudgetSpent, EvograftError
from evograft.llm.ledger import SpendingLedger
from evograft_hookspecs import Usage

Reservation = tuple[int, int]


class AdmissionControl:
    """Calls wait here until they may start, and again before each further request.

    Money is reserved before a request, by the upper bound of what it can cost; what it did cost is in the ledger before
    its reservation ends.
    """

    def __init__(self, budget: Budget, ledger: SpendingLedger, *, slots: int) -> None:
        self._budget = budget
        self._ledger = ledger
        self._slots = slots
        self._changed = threading.Condition()
        self._waiting: list[Reservation] = []
        self._numbers = itertools.count()
        self._in_flight = 0
        self._doubting = 0
        """Of those in flight, how many wait to see how the others end."""
        self._reserved: dict[Reservation, Usage] = {}
        self._closed: EvograftError | None = None
        self.failure: EvograftError | None = None
        """What ends the run, whatever plugins make of it."""

    @contextmanager
    def admit(self, trial: int | None, bound: Usage) -> Iterator[Reservation]:
        """Hold a slot and a reservation for the block.

        Raises:
            BudgetSpent: what is left of the budget does not cover the request.
            EvograftError: what admission was closed with.
        """
        reservation = (-1 if trial is None else trial, next(self._numbers))
        with self._changed:
            heapq.heappush(self._waiting, reservation)
            try:
                self._changed.wait_for(lambda: self._may_start(reservation, bound))
            finally:
                self._waiting.remove(reservation)
                heapq.heapify(self._waiting)
                self._changed.notify_all()
            self._in_flight += 1
            self._reserved[reservation] = bound
        try:
            yield reservation
        finally:
            with self._changed:
                self._in_flight -= 1
                self._reserved.pop(reservation, None)
                self._changed.notify_all()

    def reserve_again(self, reservation: Reservation, bound: Usage) -> None:
        """Reserve for a further request of a call that is in flight.

        Raises:
            BudgetSpent, EvograftError: as `admit`.
        """
        with self._changed:
            # Given back first: of two calls that wait here, one may go on.
            self._reserved.pop(reservation, None)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._covers(bound))
            self._reserved[reservation] = bound

    def await_others(self, reservation: Reservation, is_settled: Callable[[], bool]) -> None:
        """Hold a call up until all others in flight are over, or wait here too, or until a question is settled.

        Its reservation ends: its request is over, and what it did not cost the others may need.

        Raises:
            EvograftError: what admission was closed with.
        """
        with self._changed:
            self._reserved.pop(reservation, None)
            self._doubting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: is_settled() or self._closed or self._doubting >= self._in_flight)
            self._doubting -= 1
            if not is_settled():
                self.require_open()

    def has_waiting(self, trial: int) -> bool:
        """Return whether a call of a trial waits for its turn."""
        return any(number == trial for number, _ in tuple(self._waiting))

    def has_admitted(self, trial: int) -> bool:
        """Return whether a call of a trial is in flight."""
        return any(number == trial for number, _ in tuple(self._reserved))

    def await_end(self, seconds: float) -> None:
        """Wait for the calls in flight to end, at most a given number of seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._in_flight, timeout=seconds)

    def require_open(self) -> None:
        """Raise what admission was closed with, if it was."""
        if self._closed is not None:
            raise self._closed

    def close(self, reason: EvograftError) -> None:
        """Refuse all calls that wait or come."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify_all()

    def fail(self, failure: EvograftError) -> EvograftError:
        """Note the first failure, which ends the run whatever plugins make of it, and close with it."""
        self.failure = self.failure or failure
        self.close(failure)
        return failure

    def _may_start(self, reservation: Reservation, bound: Usage) -> bool:
        self.require_open()
        return self._waiting[0] == reservation and self._in_flight < self._slots and self._covers(bound)

    def _covers(self, bound: Usage) -> bool:
        """Return whether the budget has room; close if there is none and no request is left that could make some."""
        self.require_open()
        short = self._shortage(bound)
        if short and not self._reserved:
            self._closed = BudgetSpent(short)
            raise self._closed
        return not short

    def _shortage(self, bound: Usage) -> str:
        budget, ledger = self._budget, self._ledger
        if budget.calls is not None and ledger.spent_calls + len(self._reserved) >= budget.calls:
            return f"budget.calls {budget.calls}: all of them are made"
        if budget.dollars is not None:
            cost = bound.dollars or 0.0
            if ledger.spent_dollars + self._reserved_dollars + cost > budget.dollars:
                return _spent("dollars", budget.dollars, f"{ledger.spent_dollars:.4g}", f"{cost:.2g}")
        if budget.tokens is not None:
            tokens = bound.prompt_tokens + bound.completion_tokens
            reserved = sum(each.prompt_tokens + each.completion_tokens for each in self._reserved.values())
            if ledger.spent_tokens + reserved + tokens > budget.tokens:
                return _spent("tokens", budget.tokens, str(ledger.spent_tokens), str(tokens))
        return ""

    @property
    def _reserved_dollars(self) -> float:
        return sum(each.dollars or 0.0 for each in self._reserved.values())


def _spent(what: str, limit: float, spent: str, next_one: str) -> str:
    return f"budget.{what} {limit:g}: {spent} are spent, and the next call may take {next_one}"

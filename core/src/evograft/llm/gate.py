"""Whose turn it is to ask a model: so many calls at a time, within the budget, in the order of trials."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from evograft.config import Budget
from evograft.errors import BudgetSpent, EvograftError
from evograft.llm.spending import Ledger
from evograft_hookspecs import Usage


class Gate:
    """Calls wait here until they may start.

    Money is reserved before a call starts, by the upper bound of what it can cost, so that no limit is ever passed; what
    it did cost is in the ledger before its reservation ends.
    """

    def __init__(self, budget: Budget, ledger: Ledger, *, slots: int) -> None:
        self._budget = budget
        self._ledger = ledger
        self._slots = slots
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, int]] = []
        self._tickets = itertools.count()
        self._in_flight = 0
        self._reserved_dollars = 0.0
        self._reserved_tokens = 0
        self._closed: EvograftError | None = None

    @contextmanager
    def passing(self, trial: int | None, bound: Usage) -> Iterator[None]:
        """Holds a slot and a reservation for the block.

        Raises:
            BudgetSpent: what is left of the budget does not cover the call.
            EvograftError: what the gate was closed with.
        """
        ticket = (-1 if trial is None else trial, next(self._tickets))
        with self._changed:
            heapq.heappush(self._waiting, ticket)
            try:
                self._changed.wait_for(lambda: self._may_start(ticket, bound))
            finally:
                self._waiting.remove(ticket)
                heapq.heapify(self._waiting)
                self._changed.notify_all()
            self._reserve(bound, +1)
        try:
            yield
        finally:
            with self._changed:
                self._reserve(bound, -1)
                self._changed.notify_all()

    def close(self, reason: EvograftError) -> None:
        """Turns away whoever waits or comes."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify_all()

    def _may_start(self, ticket: tuple[int, int], bound: Usage) -> bool:
        if self._closed is not None:
            raise self._closed
        if self._waiting[0] != ticket or self._in_flight >= self._slots:
            return False
        short = self._shortage(bound)
        if short and not self._in_flight:
            self._closed = BudgetSpent(short)
            raise self._closed
        return not short

    def _shortage(self, bound: Usage) -> str:
        budget, ledger = self._budget, self._ledger
        if budget.dollars is not None:
            cost = bound.dollars or 0.0
            if ledger.spent_dollars + self._reserved_dollars + cost > budget.dollars:
                return _spent("dollars", budget.dollars, f"{ledger.spent_dollars:.4g}", f"{cost:.2g}")
        if budget.tokens is not None:
            tokens = bound.prompt_tokens + bound.completion_tokens
            if ledger.spent_tokens + self._reserved_tokens + tokens > budget.tokens:
                return _spent("tokens", budget.tokens, str(ledger.spent_tokens), str(tokens))
        return ""

    def _reserve(self, bound: Usage, sign: int) -> None:
        self._in_flight += sign
        self._reserved_dollars += sign * (bound.dollars or 0.0)
        self._reserved_tokens += sign * (bound.prompt_tokens + bound.completion_tokens)
        if not self._in_flight:
            self._reserved_dollars = 0.0  # no residue of adding and subtracting floats


def _spent(what: str, limit: float, spent: str, next_one: str) -> str:
    return f"budget.{what} {limit:g}: {spent} are spent, and the next call may take {next_one}"

"""Finished trials in the order of their commits, which need not be that of the log's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from evograft.log.records import Finished

Order = Literal["trial", "arrival"] | Sequence[int]
"""By number, by completion, or the numbers one after another."""


class CommitOrder:
    """Holds back what finished before its turn: never more than were in flight."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._waiting: dict[int, Finished] = {}
        self._commits = 0

    def add(self, finished: Finished) -> Iterator[Finished]:
        """Accept a finished trial and yield those whose turn it is."""
        if self._order == "arrival":
            yield finished
            return
        self._waiting[finished.trial.number] = finished
        while (following := self._waiting.pop(self._turn(), None)) is not None:
            self._commits += 1
            yield following

    def rest(self) -> Iterator[Finished]:
        """Yield what still waits for an earlier trial that is in flight, by number."""
        for number in sorted(self._waiting):
            yield self._waiting.pop(number)

    def _turn(self) -> int:
        if isinstance(self._order, str):
            return self._commits
        return self._order[self._commits] if self._commits < len(self._order) else -1

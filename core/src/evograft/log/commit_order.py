"""The order in which finished trials are committed, which need not be that of the log's rows."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Literal

from evograft.log.records import Finished

Order = Literal["trial", "arrival"] | Sequence[int]
"""By number, by completion, or the numbers one after another."""

NEVER = 2**32 - 1
"""The position of a trial that is not committed."""


class CommitPositions:
    """How many trials were committed before each: four bytes a trial."""

    def __init__(self) -> None:
        self._positions = array("I")
        self.commits = 0

    def add(self, number: int) -> None:
        """Note that a trial is committed next."""
        self._positions.extend([NEVER] * (number + 1 - len(self._positions)))
        self._positions[number] = self.commits
        self.commits += 1

    def of(self, number: int) -> int:
        """Return how many trials were committed before this one; `NEVER`: it is not committed."""
        return self._positions[number] if 0 <= number < len(self._positions) else NEVER


class CommitOrder:
    """Holds back what finished before its turn: never more than were in flight."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._waiting: dict[int, Finished] = {}
        self._positions = CommitPositions()

    @property
    def commits(self) -> int:
        """Return how many trials are committed."""
        return self._positions.commits

    def add(self, finished: Finished) -> Iterator[Finished]:
        """Take a finished trial, and yield those whose turn it is."""
        if self._order == "arrival":
            yield self._commit(finished)
            return
        self._waiting[finished.trial.number] = finished
        while (following := self._waiting.pop(self._turn(), None)) is not None:
            yield self._commit(following)

    def waiting(self) -> tuple[Finished, ...]:
        """Return the trials that wait for an earlier one that is in flight, by number."""
        return tuple(self._waiting[number] for number in sorted(self._waiting))

    def rest(self) -> Iterator[Finished]:
        """Commit the trials that wait, by number, and yield them."""
        for number in sorted(self._waiting):
            yield self._commit(self._waiting.pop(number))

    def position_of(self, number: int) -> int:
        """Return how many trials were committed before this one.

        Raises:
            KeyError: it is not committed.
        """
        position = self._positions.of(number)
        if position == NEVER:
            raise KeyError(number)
        return position

    def _commit(self, finished: Finished) -> Finished:
        self._positions.add(finished.trial.number)
        return finished

    def _turn(self) -> int:
        if isinstance(self._order, str):
            return self.commits
        return self._order[self.commits] if self.commits < len(self._order) else -1

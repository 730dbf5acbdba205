"""Which trial opens when, what it sees, and in which order finished trials are committed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from evograft.log.journal import Finished


class Schedule:
    """A window of trials in flight over an order of commits.

    A trial opens straight after the commit that completes its view, in number order, so that what it sees does not
    depend on how long others take. Under the order `trial` the commits themselves follow the numbers, under `arrival`
    they follow completion.

    Args:
        order: of commits; or the numbers of the only trials that are wanted, in the order of their commits.
        seeds: trials 0 to seeds - 1; nothing else opens before they are committed.
        windows: pairs (first trial, window), ascending: the window may change between sessions.
    """

    def __init__(
        self,
        order: Literal["trial", "arrival"] | tuple[int, ...],
        *,
        seeds: int,
        windows: tuple[tuple[int, int], ...],
    ) -> None:
        self._order = order
        self._wanted = frozenset(order) if isinstance(order, tuple) else None
        self._seeds = seeds
        self._starts = [first for first, _ in windows]
        self._windows = [window for _, window in windows]
        self._waiting: dict[int, Finished] = {}
        self._view = 0
        self.opened = 0
        """How many trials were opened; also the number of the next."""
        self.commits = 0

    def open(self) -> int | None:
        """Opens the next trial if its view is complete, and returns its number."""
        number = self.opened
        if self.commits < self._view_of(number) or self._is_over(number):
            return None
        self._view = self._view_of(number)
        self.opened += 1
        return number

    def _is_over(self, number: int) -> bool:
        return self._wanted is not None and number > max(self._wanted, default=-1)

    @property
    def view(self) -> int:
        """How many commits the trial opened last sees."""
        return self._view

    def _view_of(self, number: int) -> int:
        window = self._windows[max(0, bisect_right(self._starts, number) - 1)]
        floor = self._seeds if number >= self._seeds else 0
        return max(self._view, number - window + 1, floor)

    def is_wanted(self, number: int) -> bool:
        """Whether a trial is to be carried out; when another run is followed, those that it did not finish are not."""
        return self._wanted is None or number in self._wanted

    def finish(self, finished: Finished) -> Iterator[Finished]:
        """Takes a finished trial and yields those whose turn it is now; each counts as committed when it is yielded."""
        number = finished.trial.number
        self._waiting[number] = finished
        while (following := self._waiting.pop(self._turn(number), None)) is not None:
            self.commits += 1
            yield following

    def _turn(self, arrived: int) -> int:
        if isinstance(self._order, tuple):
            return self._order[self.commits] if self.commits < len(self._order) else -1
        return self.commits if self._order == "trial" else arrived

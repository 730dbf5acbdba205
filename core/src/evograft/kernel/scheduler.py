"""The schedule of trials: which one opens when, what it sees, and in which order finished trials are committed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

from evograft.log.commit_order import CommitOrder
from evograft.log.records import Finished


class Schedule:
    """A window of trials in flight over an order of commits.

    A trial opens straight after the commit that completes its view, in number order, so that what it sees does not
    depend on how long others take. Under the order `trial` the commits themselves follow the numbers, under `arrival`
    they follow completion.

    Args:
        order: of commits; or the numbers of the only trials that are wanted, in the order of their commits.
        windows: pairs (first trial, window), ascending: the window may change between sessions.
        seeds: trials 0 to seeds - 1; nothing else opens before they are committed.
        last_logged: the highest number of a trial in the log; -1: there is none.
    """

    def __init__(
        self,
        order: Literal["trial", "arrival"] | tuple[int, ...],
        *,
        windows: tuple[tuple[int, int], ...],
        seeds: int = 0,
        last_logged: int = -1,
    ) -> None:
        self._order = CommitOrder(order)
        self._wanted = frozenset(order) if isinstance(order, tuple) else None
        self._limit: int | None = None
        self._last_logged = last_logged
        self.seeds = seeds
        self._starts = [first for first, _ in windows]
        self._windows = [window for _, window in windows]
        self._view = 0
        self.opened = 0
        """How many trials were opened; also the number of the next."""

    @property
    def commits(self) -> int:
        return self._order.commits

    def begin(self, *, seeds: int, limit: int | None) -> None:
        """Set what is known once the problem is.

        Args:
            seeds: as above.
            limit: a trial with this number or a higher one opens only if the log shows that it did; `None`: no limit.
        """
        self.seeds = seeds
        self._limit = limit

    @property
    def has_only_seeds(self) -> bool:
        """Whether the limit lets no trial open but the seeds."""
        return self._limit is not None and self._limit <= self.seeds

    def was_open(self, number: int) -> bool:
        """Return whether the log shows that a trial was opened before: it, or one after it, is there."""
        return number <= self._last_logged

    def open(self, *, stopped: bool = False) -> int | None:
        """Open the next trial if its view is complete, and return its number.

        Args:
            stopped: whether only trials open that were open before.
        """
        number = self.opened
        if not self.was_open(number) and (stopped or (self._limit is not None and number >= self._limit)):
            return None
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
        floor = self.seeds if number >= self.seeds else 0
        return max(self._view, number - window + 1, floor)

    def is_wanted(self, number: int) -> bool:
        """Return whether a trial is to be carried out; when a run is repeated, those that it did not finish are not."""
        return self._wanted is None or number in self._wanted

    def waiting(self) -> tuple[Finished, ...]:
        """Return the trials that are finished and wait for an earlier one, by number."""
        return self._order.waiting()

    def finish(self, finished: Finished) -> Iterator[Finished]:
        """Take a finished trial and yield those whose turn it is now; each counts as committed when it is yielded."""
        return self._order.add(finished)

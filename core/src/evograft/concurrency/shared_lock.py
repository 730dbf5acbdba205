"""The lock that plugins without thread safety share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType

from evograft.concurrency.deadline_pool import current_job, off_the_clock


class GivenUp(BaseException):
    """Ends a call that was given up and asks for the lock all the same; no plugin and no retry is to catch it."""


class SharedLock:
    """A re-entrant lock, made for calls that have a deadline.

    Waiting for it does not count against the deadline of a call, a call that is given up loses it for good, and its
    owner may let go of it, however deeply it holds it, while it waits for something else.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._guard = threading.Lock()
        """Held for moments, around what belongs together: the owner, the depth, and letting go."""
        self._owner: int | None = None
        self._depth = 0

    def __enter__(self) -> None:
        me = threading.get_ident()
        with self._guard:
            if self._owner == me:
                self._depth += 1
                return
        self._acquire(me, depth=1)

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            if self._owner != threading.get_ident():
                return  # taken away while this call was given up
            self._depth -= 1
            if self._depth == 0:
                self._release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Give the lock up for the block if this thread holds it, and take it back to the same depth."""
        me = threading.get_ident()
        with self._guard:
            depth = self._depth if self._owner == me else 0
            if depth:
                self._release()
        try:
            yield
        finally:
            if depth:
                self._acquire(me, depth=depth)

    def _acquire(self, me: int, *, depth: int) -> None:
        job = current_job()
        with off_the_clock():
            self._lock.acquire()
        with self._guard:
            self._owner, self._depth = me, depth
        if job is not None:
            job.when_given_up = partial(self._take_from, me)
            if job.given_up:
                self._take_from(me)
                raise GivenUp

    def _take_from(self, thread: int) -> None:
        with self._guard:
            if self._owner == thread:
                self._release()

    def _release(self) -> None:
        self._owner, self._depth = None, 0
        self._lock.release()

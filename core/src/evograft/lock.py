"""The lock that plugins without thread safety share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType

from evograft.pool import current_job, off_the_clock


class SharedLock:
    """A re-entrant lock, made for calls that have a deadline.

    Waiting for it does not count against the deadline of a call, a call that is given up loses it, and its owner may let
    go of it, however deeply it holds it, while it waits for something else.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._depth = 0

    def __enter__(self) -> None:
        me = threading.get_ident()
        if self._owner != me:
            self._acquire(me, depth=0)
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._owner != threading.get_ident():
            return  # taken away while this call was given up
        self._depth -= 1
        if self._depth == 0:
            self._release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Gives the lock up for the block if this thread holds it, and takes it back to the same depth."""
        me = threading.get_ident()
        if self._owner != me:
            yield
            return
        depth = self._depth
        self._release()
        try:
            yield
        finally:
            self._acquire(me, depth=depth)

    def _acquire(self, me: int, *, depth: int) -> None:
        with off_the_clock():
            self._lock.acquire()
        self._owner, self._depth = me, depth
        job = current_job()
        if job is not None:
            job.when_given_up = partial(self._take_from, me)

    def _release(self) -> None:
        self._owner, self._depth = None, 0
        self._lock.release()

    def _take_from(self, thread: int) -> None:
        if self._owner == thread:
            self._release()

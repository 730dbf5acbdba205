"""Sandbox sessions that are opened once and used for many programs."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator

from evograft_hookspecs import SandboxLost, SandboxSession

OpenSession = Callable[[], SandboxSession]


class Worker:
    """A session, and what was written to it: files that are there already are not written again."""

    def __init__(self, session: SandboxSession) -> None:
        self.session = session
        self._written: dict[str, bytes] = {}

    def provide(self, path: str, content: bytes) -> None:
        if self._written.get(path) != content:
            self.session.write({path: content})
            self._written[path] = content


class Workers:
    """As many workers as may be busy at a time, each opened when it is first needed.

    Args:
        open_session: makes the session of one.
        count: how many.
    """

    def __init__(self, open_session: OpenSession, count: int) -> None:
        self._open_session = open_session
        self._idle: queue.LifoQueue[Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)
        self._count = count

    @contextlib.contextmanager
    def borrow(self) -> Iterator[Worker]:
        """A worker for one job; one whose session is lost is not handed out again."""
        worker = self._idle.get()
        try:
            worker = worker or Worker(self._open_session())
            yield worker
        except SandboxLost:
            if worker is not None:
                worker.session.close()
            worker = None
            raise
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Closes all sessions; waits for jobs that are at work."""
        for _ in range(self._count):
            worker = self._idle.get()
            if worker is not None:
                worker.session.close()
        for _ in range(self._count):
            self._idle.put(None)

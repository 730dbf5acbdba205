"""Sandbox sessions that are opened once and used for many programs."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator

from evograft_hookspecs import SandboxLost, SandboxSession, SandboxUnavailable

SessionOpener = Callable[[], SandboxSession]


class PooledSession:
    """A session, and what was written to it: files that are there already are not written again."""

    def __init__(self, session: SandboxSession) -> None:
        self.session = session
        self._written: dict[str, bytes] = {}

    def provide(self, path: str, content: bytes) -> None:
        if self._written.get(path) != content:
            self.session.write({path: content})
            self._written[path] = content


class SessionPool:
    """As many workers as may be busy at a time, each opened when it is first needed.

    Args:
        open_session: makes the session of one.
        count: how many.
    """

    def __init__(self, open_session: SessionOpener, count: int) -> None:
        self._open_session = open_session
        self._idle: queue.LifoQueue[PooledSession | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)
        self._open: list[PooledSession] = []
        self._is_closed = False

    @contextlib.contextmanager
    def borrow(self) -> Iterator[PooledSession]:
        """Lend a session for one job; one that is lost is not handed out again."""
        worker = self._idle.get()
        try:
            worker = worker or self._opened()
            yield worker
        except SandboxLost:
            if worker is not None:
                self._open.remove(worker)
                worker.session.close()
            worker = None
            raise
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """Close all sessions with what runs in them: nobody waits for a job that is given up."""
        self._is_closed = True
        for worker in tuple(self._open):
            worker.session.close()

    def _opened(self) -> PooledSession:
        if self._is_closed:
            raise SandboxUnavailable("its sessions are closed")
        worker = PooledSession(self._open_session())
        self._open.append(worker)
        return worker

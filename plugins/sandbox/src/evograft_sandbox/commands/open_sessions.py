"""The sessions of a driver that are open."""

from __future__ import annotations

import weakref

from evograft_sandbox.commands.session import RunnerSession


class OpenSessions:
    """Sessions that nobody has closed yet; one that nobody holds any more closes itself."""

    def __init__(self) -> None:
        self._sessions: weakref.WeakSet[RunnerSession] = weakref.WeakSet()

    def add(self, session: RunnerSession) -> RunnerSession:
        self._sessions.add(session)
        return session

    def close(self) -> None:
        for session in list(self._sessions):
            session.close()

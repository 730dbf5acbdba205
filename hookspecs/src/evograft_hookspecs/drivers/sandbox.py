"""Sandboxes (entry point group `evograft.sandbox`)."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.services.sandbox import SandboxService


class SandboxDriver(SandboxService, Protocol):
    """A way to run programs that are not trusted."""

    def start(self, run: str) -> None:
        """Gets ready to work for the run of this id; removes what dead processes left behind."""

    def close(self) -> None:
        """Closes all sessions."""

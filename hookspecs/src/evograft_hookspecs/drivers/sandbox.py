"""Sandboxes (entry point group `evograft.sandbox`)."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.services.sandbox import SandboxService


class SandboxDriver(SandboxService, Protocol):
    """A way to run programs that are not trusted."""

    def start(self, run: str) -> None:
        """Get ready to work for the run with this id; remove what dead processes left behind."""

    def close(self) -> None:
        """Close all sessions."""

"""An engine: whoever runs functions on other machines, as the dispatcher sees it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from evograft_cluster.messages import Order, Packed


class Engine(Protocol):
    """A way to have orders carried out elsewhere. Used by the dispatcher's thread alone, but for `close`."""

    @property
    def workers(self) -> int:
        """How many orders it carries out at a time, as far as it knows now."""

    @property
    def is_deserted(self) -> bool:
        """Whether no worker is there, and it has asked for none."""

    @property
    def state(self) -> str:
        """What people should know of its workers; empty: all is well."""

    def check(self, order: Order) -> None:
        """Look at the workers that are there before anything is sent.

        Raises:
            UserError: one of them does not fit the run.
            ServiceError: the engine cannot be reached.
        """

    def send(self, key: str, order: str, remote: bytes, task: bytes) -> Future[Packed]:
        """Have an order carried out once, if the engine can help it. What the future raises is the engine's trouble.

        Args:
            key: of this attempt.
            order: for the worker.
            remote: pickled; builds the plugins.
            task: pickled.

        Raises:
            ServiceError: it takes nothing at the moment.
        """

    def restore(self) -> None:
        """Make it usable again after trouble; nothing that was sent before will be answered.

        Raises:
            ServiceError: it is not to be had at the moment.
        """

    def close(self, *, abandon: bool) -> None:
        """Let go of it; what it was started with here ends."""

"""The inbox of a kernel: what other threads want done on its thread."""

from __future__ import annotations

import queue
from collections.abc import Callable

from evograft_hookspecs import Event

Item = Callable[[], object] | Event


class Inbox:
    """Actions and events, handed out in the order in which they came."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._takes_events = False

    def put(self, action: Callable[[], object]) -> None:
        """Have the kernel's thread do something. Callable from any thread and from signal handlers."""
        self._items.put(action)

    def put_event(self, event: Event) -> None:
        """Have the kernel's thread tell observers an event. Callable from any thread.

        Before the run has started nobody is told.
        """
        if self._takes_events:
            self._items.put(event)

    def accept_events(self) -> None:
        """Take events from now on."""
        self._takes_events = True

    def get(self, *, timeout: float) -> Item | None:
        """Return what came in next; `None` if nothing does for `timeout` seconds."""
        try:
            return self._items.get(timeout=timeout)
        except queue.Empty:
            return None

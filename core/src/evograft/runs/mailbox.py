"""Messages from other processes to a live run, and what the run lets them know."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evograft.runs.storage import note_of, open_storage
from evograft_hookspecs.drivers.shared_store import RunStorage
from evograft_hookspecs.values import check_text

Activity = Literal["mutating", "awaiting-model", "asking", "awaiting-evaluator", "evaluating"]
"""What a trial in flight is doing."""

EVERY = 0.5
"""Seconds between looks into the inbox."""
MOST_DESCRIBED = 100
"""Trials in flight that a note describes, however many there are: it is written anew at every look."""


@dataclass(frozen=True)
class RunMessage:
    """What another process asks of a run."""

    id: str
    kind: Literal["tell", "stop"]
    text: str
    strategies: tuple[str, ...] = ()
    """The strategies that an instruction asks to follow, where it is a choice among the problem's."""
    by: str = ""
    """Who stops the run, for programs; empty: nobody by name."""


@dataclass(frozen=True)
class InFlightTrial:
    """A trial in flight, for people."""

    trial: int
    operator: str
    model: str
    """The model that was called for it last; empty: none was so far."""
    repairs: int
    since: float
    """Unix time."""
    waits_until: float | None = None
    """Unix time at which its model is asked again."""
    waits_after: str = ""
    """What came of the last request."""
    activity: Activity = "mutating"
    parent: int | None = None
    """The trial that it starts from; the first, where there are several."""
    parent_score: float | None = None
    final: bool = False
    """Whether this is the final evaluation of the trial's candidate."""


@dataclass(frozen=True)
class Snapshot:
    """What the process that works on a run was doing a moment ago."""

    in_flight: tuple[InFlightTrial, ...] = ()
    """The first of the trials in flight."""
    count: int = 0
    """How many are in flight."""
    began: float | None = None
    """Unix time at which the run would have begun, had it worked all the time; `None`: not known."""
    workers: str = ""
    """What people should know of workers that are elsewhere; empty: all is well."""


class Mailbox:
    """Of one run, while it is being worked on.

    Args:
        storage: takes messages, and the note of what is in flight.
    """

    def __init__(self, storage: RunStorage) -> None:
        self._storage = storage
        self._next_look = 0.0
        self._shown = ""
        self._began: float | None = None

    def exchange(
        self,
        apply: Callable[[RunMessage], None],
        look: Callable[[], Snapshot],
        *,
        elapsed: float,
    ) -> None:
        """Apply what came in and show what is in flight: every half second, however often it is called.

        Args:
            apply: does what a message asks, once.
            look: returns what the run is doing.
            elapsed: wall seconds that the run has worked, over all sessions.
        """
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + EVERY
        for name, body in self._storage.messages():
            message = _read(body)
            if message is None:
                self._storage.refuse_message(name)
                continue
            apply(message)
            # Only then: a message that is found again was applied, and is known by its id.
            self._storage.remove_message(name)
        self._show(look(), elapsed)

    @contextmanager
    def attended(self, stop: Callable[[RunMessage], None]) -> Iterator[None]:
        """Deliver stops while the kernel's thread is busy with something other than trials; other messages wait.

        Args:
            stop: called with the reason, on another thread.
        """
        over = threading.Event()
        watching = threading.Thread(target=self._watch, args=(stop, over), name="mailbox", daemon=True)
        watching.start()
        try:
            yield
        finally:
            over.set()
            watching.join()

    def _watch(self, stop: Callable[[RunMessage], None], over: threading.Event) -> None:
        while not over.wait(EVERY):
            for name, body in self._storage.messages():
                message = _read(body)
                if message is not None and message.kind == "stop":
                    stop(message)
                    self._storage.remove_message(name)

    def _show(self, snapshot: Snapshot, elapsed: float) -> None:
        if self._began is None:
            self._began = round(time.time() - elapsed, 1)
        text = json.dumps(replace(snapshot, began=self._began), default=vars)
        if text != self._shown:
            self._storage.write_note(text)
            self._shown = text


def send_message(folder: Path, kind: Literal["tell", "stop"], text: str, *, by: str = "") -> RunMessage:
    """Leave a message for the process that works on a run, or for the next one that does.

    Raises:
        ServiceError: it cannot be left, such as in a folder that cannot be written to.
    """
    with open_storage(folder) as storage:
        return leave_message(storage, kind, text, by=by)


def leave_message(storage: RunStorage, kind: Literal["tell", "stop"], text: str, *, by: str = "") -> RunMessage:
    """Do what `send_message` does, for a run that is open."""
    message = RunMessage(f"{time.time_ns()}-{uuid.uuid4().hex[:8]}", kind, text, by=by)
    storage.send_message(message.id, json.dumps(asdict(message)))
    return message


def snapshot_of(folder: Path) -> Snapshot:
    """Return what the process that works on a run has noted last."""
    return read_snapshot(note_of(folder))


def read_snapshot(note: str) -> Snapshot:
    """Return what a note of a process that works on a run says."""
    try:
        data = json.loads(note)
        # The run may be one of an earlier version, which called them flights.
        in_flight = data["in_flight"] if "in_flight" in data else data["flights"]
        described = tuple(InFlightTrial(**each) for each in in_flight)
        count = int(data.get("count", len(described)))
        return Snapshot(described, count, float(data["began"]), data.get("workers", ""))
    except (ValueError, TypeError, KeyError):
        return Snapshot()  # nobody works on it, it just began, or it is writing at this moment


def _read(body: str) -> RunMessage | None:
    try:
        data: Any = json.loads(body)
        id_, text = check_text(str(data["id"])), check_text(str(data["text"]))
        message = RunMessage(id_, data["kind"], text, by=check_text(str(data.get("by", ""))))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None  # not one of ours
    return message if message.kind in ("tell", "stop") else None

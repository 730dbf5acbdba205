"""Messages from other processes to a live run, and what the run lets them know, as files in its folder."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evograft.errors import ServiceError
from evograft.runs.writer_lock import WriterLock, note_of
from evograft_hookspecs.values import check_text

Activity = Literal["mutating", "awaiting-model", "asking", "awaiting-evaluator", "evaluating"]
"""What a trial in flight is doing."""

INBOX = "inbox"
EVERY = 0.5
"""Seconds between looks into the inbox."""


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
    began: float | None = None
    """Unix time at which the run would have begun, had it worked all the time; `None`: not known."""


class Mailbox:
    """Of one run, while it is being worked on.

    Args:
        lock: what is in flight stands in its file.
    """

    def __init__(self, folder: Path, lock: WriterLock) -> None:
        self._folder = folder
        self._lock = lock
        self._next_look = 0.0
        self._shown = ""
        self._began: float | None = None

    def exchange(
        self, apply: Callable[[RunMessage], None], in_flight: Callable[[], tuple[InFlightTrial, ...]], *, elapsed: float
    ) -> None:
        """Apply what came in and show what is in flight: every half second, however often it is called.

        Args:
            apply: does what a message asks, once.
            in_flight: returns the trials that are being worked on.
            elapsed: wall seconds that the run has worked, over all sessions.
        """
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + EVERY
        for path in sorted(self._inbox()):
            message = _read(path)
            if message is None:
                _refuse_file(path)
                continue
            apply(message)
            # Only then: a message that is found again was applied, and is known by its id.
            path.unlink(missing_ok=True)
        self._show(in_flight(), elapsed)

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
            for path in sorted(self._inbox()):
                message = _read(path)
                if message is not None and message.kind == "stop":
                    stop(message)
                    path.unlink(missing_ok=True)

    def _inbox(self) -> Iterator[Path]:
        return (self._folder / INBOX).glob("*.json")

    def _show(self, in_flight: tuple[InFlightTrial, ...], elapsed: float) -> None:
        if self._began is None:
            self._began = round(time.time() - elapsed, 1)
        text = json.dumps({"began": self._began, "in_flight": [asdict(trial) for trial in in_flight]})
        if text != self._shown:
            self._lock.note(text)
            self._shown = text


def send_message(folder: Path, kind: Literal["tell", "stop"], text: str, *, by: str = "") -> RunMessage:
    """Leave a message for the process that works on a run, or for the next one that does.

    Raises:
        ServiceError: the run's folder cannot be written to.
    """
    message = RunMessage(f"{time.time_ns()}-{uuid.uuid4().hex[:8]}", kind, text, by=by)
    # The run sees the whole message or none.
    temporary = folder / INBOX / f"{message.id}.new"
    try:
        temporary.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(asdict(message)), encoding="utf-8")
        temporary.replace(_place(folder, message))
    except OSError as err:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise ServiceError(f"cannot leave a message in {str(temporary.parent)!r}: {err.strerror}") from err
    return message


def is_taken(folder: Path, message: RunMessage) -> bool:
    """Return whether a run has read a message that was left for it."""
    return not _place(folder, message).exists()


def _place(folder: Path, message: RunMessage) -> Path:
    return folder / INBOX / f"{message.id}.json"


def snapshot_of(folder: Path) -> Snapshot:
    """Return what the process that works on a run has noted last."""
    try:
        data = json.loads(note_of(folder))
        # The run may be one of an earlier version, which called them flights.
        in_flight = data["in_flight"] if "in_flight" in data else data["flights"]
        return Snapshot(tuple(InFlightTrial(**each) for each in in_flight), float(data["began"]))
    except (ValueError, TypeError, KeyError):
        return Snapshot()  # nobody works on it, it just began, or it is writing at this moment


def _read(path: Path) -> RunMessage | None:
    if not path.is_file():
        return None  # a pipe would be waited for
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        id_, text = check_text(str(data["id"])), check_text(str(data["text"]))
        message = RunMessage(id_, data["kind"], text, by=check_text(str(data.get("by", ""))))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # not one of ours
    return message if message.kind in ("tell", "stop") else None


def _refuse_file(path: Path) -> None:
    """Keep what is not a message for whoever left it, under a name that is not looked at again."""
    with suppress(OSError):
        path.replace(path.with_suffix(".refused"))

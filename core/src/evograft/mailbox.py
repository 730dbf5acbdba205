"""Messages from other processes to a live run, and what the run lets them know, as files in its folder."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from evograft.flights import Flight

INBOX = "inbox"
LIVE = "live.json"
EVERY = 0.5
"""Seconds between looks into the inbox."""


@dataclass(frozen=True)
class Message:
    """What another process asks of a run."""

    id: str
    kind: Literal["tell", "stop"]
    text: str


@dataclass(frozen=True)
class Airborne:
    """A trial in flight, for people."""

    trial: int
    operator: str
    model: str
    repairs: int
    since: float
    """Unix time."""


class Recipient(Protocol):
    """The kernel, as the mailbox sees it."""

    @property
    def in_flight(self) -> tuple[Flight, ...]: ...

    def apply(self, message: Message) -> None:
        """Does what a message asks, once."""


class Mailbox:
    """Of one run, while it is being worked on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._next_look = 0.0
        self._shown = ""

    def exchange(self, recipient: Recipient) -> None:
        """Applies what came in and shows what is in flight; every half second, however often it is called."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + EVERY
        for path in sorted(self._inbox()):
            message = _read(path)
            if message is not None:
                recipient.apply(message)
            # Only then: a message that is found again was applied, and is known by its id.
            path.unlink(missing_ok=True)
        self._show([_airborne(flight) for flight in recipient.in_flight])

    def close(self) -> None:
        (self._folder / LIVE).unlink(missing_ok=True)

    def _inbox(self) -> Iterator[Path]:
        return (self._folder / INBOX).glob("*.json")

    def _show(self, flights: list[Airborne]) -> None:
        text = json.dumps([asdict(flight) for flight in flights])
        if text != self._shown:
            _write(self._folder / LIVE, text)
            self._shown = text


def send(folder: Path, kind: Literal["tell", "stop"], text: str) -> Message:
    """Leaves a message for the process that works on a run, or for the next one that does."""
    message = Message(f"{time.time_ns()}-{uuid.uuid4().hex[:8]}", kind, text)
    (folder / INBOX).mkdir(exist_ok=True)
    _write(folder / INBOX / f"{message.id}.json", json.dumps(asdict(message)))
    return message


def in_flight(folder: Path) -> list[Airborne]:
    """The trials that the process working on a run had in flight a moment ago."""
    try:
        data = json.loads((folder / LIVE).read_text(encoding="utf-8"))
        return [Airborne(**each) for each in data]
    except (OSError, ValueError, TypeError):
        return []  # nobody works on it, or just began to


def _write(path: Path, text: str) -> None:
    # A reader sees the old file or the new one, never half of it.
    temporary = path.with_suffix(f".{os.getpid()}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def _read(path: Path) -> Message | None:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        return Message(str(data["id"]), data["kind"], str(data["text"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not one of ours


def _airborne(flight: Flight) -> Airborne:
    proposal = flight.proposal
    return Airborne(
        trial=flight.number,
        operator=proposal.operator if proposal else "kernel.seed",
        model=proposal.model if proposal else "",
        repairs=len(flight.attempts),
        since=round(flight.since, 1),
    )

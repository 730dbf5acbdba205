"""Stores that several machines reach: next to the log of a run, they keep what else its folder would hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, Self, runtime_checkable

from pydantic import ValidationError

from evograft_hookspecs.values import FrozenDict, Json, Name, Text, Value

SHARED_FILE = "shared.json"
"""The file in a folder that says which run of which store it stands for."""


class SharedPlace(Value):
    """Where the log of a folder is, if it is not in the folder."""

    driver: Name
    """Of the store."""
    options: FrozenDict[str, Json] = FrozenDict()
    """Of the driver; they hold no secrets."""
    run: Name
    """The id of the run."""

    @classmethod
    def find(cls, folder: Path) -> Self | None:
        """Return where the log of a folder is; `None`: in the folder itself."""
        try:
            return cls.model_validate_json((folder / SHARED_FILE).read_bytes())
        except (OSError, ValidationError):
            return None


class SharedRun(Value):
    """A run that a shared store holds."""

    id: Name
    name: Name
    """Several may have the same."""


class Writer(Value):
    """The process that works on a run."""

    process: int
    host: Text = ""
    """Its machine; empty: this one."""
    since: float | None = None
    """Unix time."""
    note: Text = ""
    """What it lets others know of its work."""


class RunStorage(Protocol):
    """What belongs to one run next to its log: documents, messages to the process that works on it, and who that is."""

    def read_document(self, name: str) -> bytes | None:
        """Return a document, such as the run's settings; `None`: there is none of this name."""

    def write_document(self, name: str, content: bytes | None) -> None:
        """Replace a document as a whole; `None` removes it."""

    def send_message(self, message: str, body: str) -> None:
        """Leave a message, under an id that sorts by time, for the process that works on the run."""

    def messages(self) -> list[tuple[str, str]]:
        """Return the messages that wait, each with its id, the oldest first."""

    def has_message(self, message: str) -> bool:
        """Return whether a message still waits."""

    def remove_message(self, message: str) -> None:
        """Forget a message that was read; one that is not there was forgotten already."""

    def refuse_message(self, message: str) -> None:
        """Put aside what is not a message of ours."""

    def claim(self) -> None:
        """Become the only process that works on the run, until `close`; an error names the one that does."""

    def write_note(self, text: str) -> None:
        """Let others know something about the work of the process that has claimed the run."""

    def writer(self) -> Writer | None:
        """Return the process that works on the run at this moment, if there is one."""

    def last_written(self) -> float:
        """Return the Unix time at which anything of the run was last written."""

    def wait(self, seconds: float) -> None:
        """Return as soon as something of the run has changed, at the latest after some seconds."""

    def close(self) -> None:
        """Let go of the run, and end connections."""


@runtime_checkable
class SharedStore(Protocol):
    """What a store offers in addition if other machines reach it.

    Its `create` is for the run whose id the header has, its `open` for that of the folder's `SharedPlace`.
    """

    @property
    def address(self) -> str:
        """What names the store on every machine, such as a URL without a password; `#NAME` behind it names a run."""

    def runs(self) -> Iterator[SharedRun]:
        """Yield the runs that the store holds, the oldest first."""

    def storage(self, run: str) -> RunStorage:
        """Return what belongs to the run with an id, next to its log."""

    def remove(self, run: str) -> None:
        """Remove a run with everything that belongs to it alone."""

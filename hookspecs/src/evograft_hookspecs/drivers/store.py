"""Stores of logs (entry point group `evograft.store`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol

from evograft_hookspecs.values import Count, Text, Value

RowKind = Literal["header", "problem", "trial", "control", "answer", "charge", "tool", "preliminary", "final"]


class Row(Value):
    """One row of a run's log."""

    seq: Count
    """Its place in the log, from 0, without gaps."""
    kind: RowKind
    key: Text
    """Unique within its kind: the trial's number, the scope and hash of an answer."""
    body: Text
    """JSON."""


class NewRow(Value):
    """A row that is still to be written."""

    kind: RowKind
    key: Text
    body: Text


class Store(Protocol):
    """The append-only log of one run, and its artifacts. Used by several threads, written by one process."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know about the log that was opened."""

    def create(self, folder: Path, rows: Iterable[NewRow]) -> None:
        """Create the log of a new run with its first rows, whole or not at all."""

    def open(self, folder: Path, *, durable: bool, writable: bool = True, accept_loss: bool = False) -> None:
        """Open the log of a run folder.

        Args:
            folder: the run's folder.
            durable: whether a power cut may lose nothing: set when rows cost money.
            writable: false for readers of a run that may be live.
            accept_loss: take the end as it is, even where rows are known to have been lost behind it.

        Raises:
            LogDamaged: when it is not what was written; the message says what to do.
        """

    def append(self, rows: Iterable[NewRow]) -> int:
        """Write rows in one transaction and return the place of the last; from then on `kill -9` does not lose them."""

    def rows(self, *, after: int = -1) -> Iterator[Row]:
        """Yield all rows after a place that are there now, in order, each checked against the hash chain.

        Raises:
            LogDamaged: at the first row that was changed, or where one is missing.
        """

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        """Yield place and key of all rows of a kind, in order, without reading the rows."""

    def heads(self, kind: RowKind) -> Iterator[Row]:
        """Yield all rows of a kind, in order, with only the first lines of their bodies, unchecked."""

    def get(self, seq: int) -> Row:
        """Return the row at a place; KeyError if there is none."""

    def put_artifact(self, text: str) -> str:
        """Keep a large text and return its content hash; called before the row that names it is written."""

    def get_artifact(self, digest: str) -> str:
        """Return the text with this content hash; LogDamaged if it is lost."""

    def close(self) -> None:
        """Leave a log that needs no recovery."""

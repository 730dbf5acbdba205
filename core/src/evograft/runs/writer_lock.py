"""The lock of a run's folder: who may write to it, and what the process that does wants to be known."""

from __future__ import annotations

import fcntl
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from evograft.concurrency.file_lock import find_lock_holder
from evograft.errors import ServiceError, UserError

LONGEST_OWNER = 400
"""Bytes of the first line of a lock, which says who holds it: the name of a host has at most 255."""
_held: dict[tuple[int, str], str] = {}
"""By process and folder, the notes next to the locks that are held here.

The system keeps one lock for a whole process and a file: it lets this process lock the file twice, and lets go of the
lock as soon as this process closes the file anywhere. So nothing here opens the file of a lock that is in this table.
"""


class WriterLock:
    """One writer a run. The lock dies with its process, and children do not inherit it.

    Args:
        folder: of the run.
        advice: what whoever is turned away is to do.
    """

    def __init__(self, folder: Path, *, advice: str = "stop that one first") -> None:
        self._path = folder / "run.lock"
        self._advice = advice
        self._owner = f"{os.getpid()} on host {socket.gethostname()} since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        self._key = _key_of(folder)
        if self._key in _held:
            raise UserError(
                f"run {folder.name!r} is being worked on by this very process: stop or close that one first"
            )
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as err:
            raise ServiceError(f"cannot write to the run's folder {str(folder)!r}: {err.strerror}") from err

    def __enter__(self) -> Self:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            owner = os.pread(self._descriptor, LONGEST_OWNER, 0).decode(errors="replace").partition("\n")[0]
            os.close(self._descriptor)
            raise UserError(
                f"run {self._path.parent.name!r} is being written by process {owner}: {self._advice}"
            ) from err
        self.note("")
        return self

    def note(self, text: str) -> None:
        """Leave a line below that of this process, for readers."""
        _held[self._key] = text
        content = f"{self._owner}\n{text}\n".encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)
        del _held[self._key]


def _key_of(folder: Path) -> tuple[int, str]:
    # With the process: a child that was forked has the table, but none of the locks.
    return os.getpid(), os.path.realpath(folder)


def holder_of(folder: Path) -> int | None:
    """Return the process that holds the lock of a run's folder at this moment, if there is one."""
    if _key_of(folder) in _held:
        return os.getpid()
    try:
        with (folder / "run.lock").open("rb") as file:
            return find_lock_holder(file)
    except OSError:
        return None


def lock_note_of(folder: Path) -> str:
    """Return what stands next to the lock; empty: nothing."""
    own = _held.get(_key_of(folder))
    if own is not None:
        return own
    try:
        return (folder / "run.lock").read_text(encoding="utf-8").partition("\n")[2]
    except (OSError, UnicodeDecodeError):
        return ""

"""The lock of a run's folder: who may write to it, and what the process that does wants to be known."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self

from evograft.concurrency.file_lock import find_lock_holder
from evograft.errors import ServiceError, UserError


class WriterLock:
    """One writer a run. The lock dies with its process, and children do not inherit it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "run.lock"
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as err:
            raise ServiceError(f"cannot write to the run's folder {str(folder)!r}: {err.strerror}") from err

    def __enter__(self) -> Self:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            holder = os.pread(self._descriptor, 32, 0).decode(errors="replace").partition("\n")[0]
            os.close(self._descriptor)
            raise UserError(
                f"run {self._path.parent.name!r} is being written by process {holder}: stop that one first"
            ) from err
        self.note("")
        return self

    def note(self, text: str) -> None:
        """Leave a line next to the number of this process, for readers."""
        content = f"{os.getpid()}\n{text}\n".encode()
        os.pwrite(self._descriptor, content, 0)
        os.ftruncate(self._descriptor, len(content))

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def writer_of(folder: Path) -> int | None:
    """Return the process that writes to a run at this moment, if there is one."""
    try:
        with (folder / "run.lock").open("rb") as file:
            return find_lock_holder(file)
    except OSError:
        return None


def note_of(folder: Path) -> str:
    """Return what the process that works on a run has noted last; empty: nothing."""
    try:
        return (folder / "run.lock").read_text(encoding="utf-8").partition("\n")[2]
    except (OSError, UnicodeDecodeError):
        return ""

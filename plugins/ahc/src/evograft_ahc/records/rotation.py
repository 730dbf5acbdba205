"""A log in several files that is written again from its beginning after a kill, leaving alone what is there already."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import BinaryIO


class ExportedLog:
    """Holds exactly the entries that were put, whatever was there before.

    The newest entries are in `path`, older ones in `path.1` (the oldest), `path.2` and so on. An entry that stands
    there is passed over; from the first that differs on, such as one that a kill has torn, the file is written again.
    Where a file ends follows from the entries alone, so a second pass comes to the same files.

    Args:
        path: of the newest file.
        max_bytes: of a file; only an entry that is longer by itself makes one longer.
        max_seconds: between the first and the last entry of a file.
    """

    def __init__(self, path: Path, *, max_bytes: int, max_seconds: float) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._part = 0
        self._file: BinaryIO | None = None
        self._size = 0
        self._since = 0.0
        self._is_writing = False

    def put(self, entry: str, *, at: float) -> None:
        """Write the next entry.

        Args:
            entry: whole lines.
            at: its Unix time.
        """
        encoded = entry.encode()
        if self._file is None or self._is_full(len(encoded), at):
            self._begin_next(at)
        assert self._file is not None, "the next one was begun"
        if not self._is_writing and self._file.read(len(encoded)) != encoded:
            self._cut(self._file)
        if self._is_writing:
            self._file.write(encoded)
        self._size += len(encoded)

    def flush(self) -> None:
        """Let readers see what was put."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close the file; what stands behind the last entry that was put goes."""
        if self._file is None:
            return
        self._end_file(self._file)
        self._file = None
        # With other limits there may have been more files before.
        if self._older(self._part).exists():
            self._older(self._part).replace(self._path)
        for part in itertools.takewhile(lambda part: self._older(part).exists(), itertools.count(self._part + 1)):
            self._older(part).unlink()

    def _is_full(self, more: int, at: float) -> bool:
        return self._size > 0 and (self._size + more > self._max_bytes or at - self._since > self._max_seconds)

    def _begin_next(self, at: float) -> None:
        if self._file is not None:
            self._end_file(self._file)
            if not self._older(self._part).exists():
                self._path.replace(self._older(self._part))
        self._part += 1
        path = self._older(self._part) if self._older(self._part).exists() else self._path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._file = path.open("r+b")
        self._size, self._since, self._is_writing = 0, at, False

    def _older(self, part: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{part}")

    def _end_file(self, file: BinaryIO) -> None:
        self._cut(file)
        file.close()

    def _cut(self, file: BinaryIO) -> None:
        file.seek(self._size)
        file.truncate()
        self._is_writing = True

"""A file of lines that an export writes again from its beginning, without touching what is there already."""

from __future__ import annotations

from pathlib import Path


class LineFile:
    """A file that holds exactly the lines that were put, whatever was in it before.

    A line that stands there is passed over. From the first that differs on, such as one that a kill has torn, the file
    is written anew.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self._file = path.open("r+b")
        self._place = 0
        self._at_end = False

    def put(self, line: str) -> None:
        """Put the next line."""
        encoded = line.encode() + b"\n"
        if not self._at_end:
            if self._file.readline() == encoded:
                self._place += len(encoded)
                return
            self._cut()
        self._file.write(encoded)
        self._file.flush()

    def close(self) -> None:
        """Remove what stands behind the last line that was put, and close the file."""
        if not self._at_end:
            self._cut()
        self._file.close()

    def _cut(self) -> None:
        self._file.seek(self._place)
        self._file.truncate()
        self._at_end = True

"""What a test leaves for people to look at: what the program printed on each case, and pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evograft_ahc.files.user_file import write_file

FOLDER = "out"
"""Of the workspace; within it each program has a folder of its own."""
Draw = Callable[[str, bytes], bytes | None]
"""From a case and what a program printed on it to a picture."""


class PrintedFiles:
    """The files of a program, which each test overwrites.

    Args:
        folder: of the program.
        draw: the contest's visualiser.
    """

    def __init__(self, folder: Path, draw: Draw) -> None:
        self.folder = folder
        self._draw = draw
        self._written: list[str] = []

    def write(self, case: str, output: bytes, stderr: bytes) -> None:
        """Write those of a case; a picture of the same output is not drawn again."""
        self._written.append(case)
        self.folder.mkdir(parents=True, exist_ok=True)
        out, picture = self._path(case, "out"), self._path(case, "svg")
        is_same = out.is_file() and out.read_bytes() == output
        write_file(out, output)
        write_file(self._path(case, "err"), stderr)
        if not (is_same and picture.is_file()):
            picture.unlink(missing_ok=True)
            self._draw_into(picture, case, output)

    def remove(self, case: str) -> None:
        """Remove those of a case, which would be of an earlier program."""
        for kind in ("out", "err", "svg"):
            self._path(case, kind).unlink(missing_ok=True)

    def count_written(self) -> int:
        """Return how many cases have been written; those of earlier tests do not count, nor do their pictures."""
        return len(self._written)

    def count_earlier(self) -> int:
        """Return how many cases of earlier tests, perhaps of another source, still have files."""
        return len(list(self.folder.glob("*.out"))) - len(self._written)

    def count_pictures(self) -> int:
        return sum(self._path(case, "svg").is_file() for case in self._written)

    def _draw_into(self, picture: Path, case: str, output: bytes) -> None:
        drawing = self._draw(case, output)
        if drawing is not None:
            write_file(picture, drawing)

    def _path(self, case: str, kind: str) -> Path:
        return self.folder / f"{case}.{kind}"

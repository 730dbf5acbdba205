"""The changes of a candidate: for each of the user's files, its text at the start, now, and with the candidate."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError, write_atomically
from evograft_program.options import ProgramOptions
from evograft_program.task.candidates import is_permitted, read_text

NO_END = "\n\\ No newline at end of file\n"
"""What tools write of a last line without an end."""
BYTE_ORDER_MARK = "\ufeff"
"""What some files begin with, and no candidate: models are not shown it."""


@dataclass(frozen=True)
class FileChange:
    """What becomes of one of the user's files."""

    path: Path
    before: str | None
    """Its text when the run began; `None`: there was no such file."""
    now: str | None
    after: str

    @property
    def is_done(self) -> bool:
        """Return whether the file is already as the candidate has it."""
        return self.now == self.after

    @property
    def is_overtaken(self) -> bool:
        """Return whether somebody has changed the file since the run began, in another way."""
        return self.now not in (self.before, self.after)

    def count_lines(self) -> tuple[int, int]:
        """Return how many lines are added and removed."""
        lines = [*self.diff(self.path.name, self.now)][2:]
        return sum(each.startswith("+") for each in lines), sum(each.startswith("-") for each in lines)

    def diff(self, name: str, base: str | None) -> Iterator[str]:
        """Yield the lines of a unified difference, as `patch` and `git apply` read it.

        Args:
            name: of the file.
            base: the text that it starts from.
        """
        old = "/dev/null" if base is None else f"a/{name}"
        for line in difflib.unified_diff(_lines(base or ""), _lines(self.after), old, f"b/{name}"):
            yield line if line.endswith("\n") else f"{line}{NO_END}"


def _lines(text: str) -> list[str]:
    """Split a text after each newline alone, as other tools do."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def find_changes(options: ProgramOptions, files: Mapping[str, str], *, to: Path | None = None) -> list[FileChange]:
    """Return what a candidate changes, a file that stays as it was at the start left out.

    Args:
        options: of its run.
        files: of the candidate.
        to: a file to write to, in place of the one that the run began with.

    Raises:
        UserError: it is not known where to write to, or a file there cannot be read.
    """
    if to is not None:
        (text,) = _single(files, to)
        return [_describe(to.absolute(), None, text)]
    if not options.candidate.program:
        raise UserError("the run began without a start program: say where the best one goes with --to FILE")
    origin, copy = find_origin(options), Path(options.task.folder) / options.candidate.program
    if not options.candidate.change:
        (text,) = _single(files, origin)
        return _changed([_describe(origin, copy, text)])
    return _changed(
        [
            _describe(origin / name, copy / name, text)
            for name, text in files.items()
            if is_permitted(name, options.candidate.change)
        ]
    )


def _single(files: Mapping[str, str], path: Path) -> tuple[str, ...]:
    if len(files) != 1:
        raise UserError(f"the candidate has {len(files)} files, and {str(path)!r} is one: leave out --to")
    return tuple(files.values())


def _changed(changes: list[FileChange]) -> list[FileChange]:
    return [change for change in changes if change.after != change.before]


def find_origin(options: ProgramOptions) -> Path:
    """Return the user's start program: a file, or a folder.

    Raises:
        UserError: the run does not say where it was.
    """
    program = Path(options.candidate.program)
    # What is elsewhere goes before the folder that all the rest is in.
    for place, origin in sorted(options.task.origins.items(), reverse=True):
        if program.is_relative_to(place):
            return Path(origin) / program.relative_to(place)
    raise UserError("the run does not say where its start program was: say where the best one goes with --to FILE")


def _describe(path: Path, copy: Path | None, text: str) -> FileChange:
    """Return what becomes of a file whose copy is as it was when the run began; `None`: there was none."""
    before, now = (None if copy is None else _find_text(copy)), _find_text(path)
    is_marked = (before or now or "").startswith(BYTE_ORDER_MARK)
    return FileChange(path, before, now, f"{BYTE_ORDER_MARK}{text}" if is_marked else text)


def _find_text(path: Path) -> str | None:
    return read_text(path, encoding="utf-8") if path.exists() else None


def write_change(change: FileChange) -> None:
    """Write one of the user's files, with the rights that it had."""
    mode = change.path.stat().st_mode if change.path.exists() else None
    write_atomically(change.path, change.after.encode())
    if mode is not None:
        change.path.chmod(mode)

"""The files of candidates: the only one of a program, or those of a folder that may change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath

from evograft.api import UserError
from evograft_hookspecs import CandidateRejected
from evograft_hookspecs.types import SINGLE_FILE
from evograft_program.options import CandidateOptions, TaskOptions
from evograft_program.task.files import walk_files

MOST_CHARS = 400_000
"""Of all files that candidates may change: a model has to read them."""


def read_start(task: TaskOptions, candidate: CandidateOptions) -> dict[str, str] | None:
    """Return the files of the start program as those of a candidate; `None`: there is none.

    Raises:
        UserError: they cannot be read as text, or there are none or too many.
    """
    if not candidate.program:
        return None
    path = Path(task.folder) / candidate.program
    if not candidate.change:
        return {SINGLE_FILE: read_text(path)}
    files = {name: read_text(path / name) for name in find_changeable(path, candidate.change)}
    size = sum(map(len, files.values()))
    if size > MOST_CHARS:
        raise UserError(
            f"--change {' '.join(candidate.change)}: {len(files)} files with {size} characters, more than models can "
            f"read ({MOST_CHARS}): name fewer files"
        )
    return files


def find_changeable(folder: Path, change: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths within a folder that match a pattern.

    Raises:
        UserError: a pattern matches none.
    """
    names = [path.relative_to(folder).as_posix() for path in walk_files(folder) if path.is_file()]
    for pattern in change:
        if not any(matches(name, (pattern,)) for name in names):
            raise UserError(f"--change {pattern!r} matches no file in {str(folder)!r}: patterns are relative to it")
    return tuple(name for name in names if matches(name, change))


def matches(name: str, change: tuple[str, ...]) -> bool:
    """Return whether a path matches a pattern: `*` stays within a folder, `**` does not."""
    return any(_compiled(pattern).fullmatch(name) for pattern in change)


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a glob as a regular expression, in which `**/` also stands for no folder."""
    text = re.escape(pattern.removeprefix("./"))
    for glob, expression in ((r"\*\*/", "(?:[^/]+/)*"), (r"\*\*", ".+"), (r"\*", "[^/]*"), (r"\?", "[^/]")):
        text = text.replace(glob, expression)
    return re.compile(text)


def read_text(path: Path, *, encoding: str = "utf-8-sig") -> str:
    """Return a program's text, line ends as they are; with `utf-8`, a byte order mark too.

    Raises:
        UserError: it is not UTF-8, or cannot be read.
    """
    try:
        return path.read_bytes().decode(encoding)
    except OSError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise UserError(f"{str(path)!r} is not text in UTF-8 (byte {err.start}): candidates are text") from err


def require_permitted(names: Iterable[str], change: tuple[str, ...]) -> None:
    """Refuse a candidate with files that it may not have.

    Raises:
        CandidateRejected: naming the first one, and what may change.
    """
    for name in names:
        if not is_permitted(name, change):
            raise CandidateRejected(f"{name[:80]!r} may not be changed: only what matches {' '.join(change)}")


def is_permitted(name: str, change: tuple[str, ...]) -> bool:
    """Return whether a candidate may have a file: within its folder, and one that a pattern matches."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and path.as_posix() == name and matches(name, change)


def file_name(candidate: CandidateOptions) -> str:
    """Return the name of a candidate's only file."""
    return PurePosixPath(candidate.program).name if candidate.program else f"program{candidate.suffix}"

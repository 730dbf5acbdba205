"""The layout of a task: which of the user's files and folders stand where in its copy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evograft.api import UserError
from evograft_program.task.git import find_commit

WHOLE = "."
"""The place of a folder that is the whole task."""


@dataclass(frozen=True)
class TaskFiles:
    """The files that a task is made of, where the user has them, absolute."""

    home: Path
    """The folder that is copied for the evaluator's sake: its own, or the current one for a shell line."""
    evaluator: Path | None
    """The evaluator's file or folder; `None`: it is a shell line."""
    program: Path | None = None
    """The start program's file, or a folder of which some files may change; `None`: there is none."""
    others: Mapping[str, Path] = field(default_factory=dict)
    """Further files by what they are: the evaluator of the end, the examples."""

    def find_commit(self) -> str:
        """Return the commit that is checked out where the start program is; empty: none is known."""
        return "" if self.program is None else find_commit(self.program)


@dataclass(frozen=True)
class TaskLayout:
    """The places of a task's parts in its copy."""

    sources: Mapping[str, Path]
    """By place, the user's folders and files that are copied."""

    def place_of(self, path: Path) -> str:
        """Return the place of a file or folder of the user's, relative to the copy.

        Raises:
            KeyError: it is not part of the task.
        """
        for place, source in self.sources.items():
            if path == source or source in path.parents:
                return (Path(place) / path.relative_to(source)).as_posix()
        raise KeyError(path)


def lay_out_task(files: TaskFiles) -> TaskLayout:
    """Return the layout: the evaluator's folder as it is, or a program's that holds it, and what is elsewhere below."""
    parts = [path for path in (files.home, files.evaluator, files.program, *files.others.values()) if path is not None]
    for folder in (files.home, files.program):
        if folder is not None and folder.is_dir() and all(_is_within(path, folder) for path in parts):
            return TaskLayout({WHOLE: folder})
    sources = {WHOLE: files.home}
    for name, path in {"program": files.program, **files.others}.items():
        if path is not None and not any(_is_within(path, source) for source in sources.values()):
            sources[_place(name, path, files.home)] = path
    return TaskLayout(sources)


def _is_within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _place(name: str, path: Path, home: Path) -> str:
    """Return a place for something from elsewhere: a folder whose name nothing next to the evaluator has."""
    free = name
    while (home / free).exists():
        free = f"{free}_"
    return free if path.is_dir() else f"{free}/{path.name}"


def require_path(path: Path, what: str) -> Path:
    """Return a path that exists as an absolute one, with the links on the way followed.

    Raises:
        UserError: there is nothing.
    """
    try:
        return path.resolve(strict=True)
    except OSError as err:
        raise UserError(f"{what} {str(path)!r}: {err.strerror}") from err

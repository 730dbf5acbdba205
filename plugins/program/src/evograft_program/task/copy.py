"""The copy of a task in the folder of its run: how it is made, and what has changed since."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError
from evograft_program.options import ProgramOptions, TaskOptions
from evograft_program.task.files import digest_files, is_linked, list_files, read_content, walk_files
from evograft_program.task.git import find_ignored
from evograft_program.task.layout import TaskLayout

SHOWN = 3
"""Names of changed files in a note."""


@dataclass(frozen=True)
class TaskCopy:
    """A copy that was made."""

    folder: Path
    digest: str


def list_task(
    layout: TaskLayout, *, left_out: Collection[Path] = (), ignored: Collection[Path] = ()
) -> dict[str, Path]:
    """Return all files of a task by their places in its copy.

    Args:
        layout: of the task.
        left_out: what evaluations read where it is.
        ignored: what the user's repository ignores.

    Raises:
        UserError: they are more than can be copied, or some cannot be read.
    """
    return {
        (Path(place) / within).as_posix(): path
        for place, source in layout.sources.items()
        for within, path in _list_source(source, left_out, ignored).items()
    }


def _list_source(source: Path, left_out: Collection[Path], ignored: Collection[Path]) -> dict[str, Path]:
    return list_files(source, left_out=left_out, ignored=ignored) if source.is_dir() else {".": source}


def copy_task(files: Mapping[str, Path], folder: Path, *, left_out: Collection[Path] = ()) -> TaskCopy:
    """Copy the files of a task into an empty folder.

    Args:
        files: by their places, as `list_task` found them.
        folder: for the copy.
        left_out: what evaluations read where it is; the copy has links to it.

    Raises:
        UserError: a file cannot be read.
    """
    for place, path in files.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_linked(path, left_out):
            target.symlink_to(path.resolve())
        else:
            _copy_file(path, target)
    return TaskCopy(folder, digest_files({place: folder / place for place in files}))


def _copy_file(path: Path, target: Path) -> None:
    try:
        shutil.copyfile(path, target)
    except PermissionError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
    shutil.copymode(path, target)
    target.chmod(target.stat().st_mode | 0o200)  # so that the folder of the run can be removed and restored


def require_whole(task: TaskOptions) -> None:
    """Refuse a copy that is not what was copied.

    Raises:
        UserError: files of it are gone, changed, or new.
    """
    folder = Path(task.folder)
    if not folder.is_dir():
        raise UserError(
            f"the run's copy of its task is not in {task.folder!r}: a run works where it was started; if it was moved, "
            "move it back"
        )
    files = {path.relative_to(folder).as_posix(): path for path in walk_files(folder)}
    if task.digest and digest_files(files) != task.digest:
        raise UserError(
            f"the run's copy of its task in {task.folder!r} is not what the run began with: put the files back as "
            "they were, or start another run"
        )


def describe_changes(options: ProgramOptions) -> str:
    """Return a note about what the user has changed since the copy was made; empty: nothing, or nothing is known."""
    sources = {place: Path(origin) for place, origin in options.task.origins.items()}
    if not all(source.exists() for source in sources.values()):
        return ""
    left_out = frozenset(Path(path).resolve() for path in options.evaluator.read)
    copied = _walk_sources({".": Path(options.task.folder)}, ())
    ignored = find_ignored(sources.values()) if options.candidate.change else frozenset()
    now = {
        place: path
        for place, path in _walk_sources(sources, left_out).items()
        if place in copied or ignored.isdisjoint((path, *path.parents))
    }
    changed = _compare(now, copied)
    if not changed:
        return ""
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    return (
        f"changed since this run began, which goes on with its own copy: {', '.join(changed[:SHOWN])}{more}; "
        "start another run to use them"
    )


def _walk_sources(sources: Mapping[str, Path], left_out: Collection[Path]) -> dict[str, Path]:
    """Return the files of a task as `list_task` does, however many they are."""
    return {
        (Path(place) / path.relative_to(source)).as_posix(): path
        for place, source in sources.items()
        for path in (walk_files(source, left_out=left_out) if source.is_dir() else (source,))
    }


def _compare(now: Mapping[str, Path], copied: Mapping[str, Path]) -> list[str]:
    """Return the places at which the user's files and their copies differ."""
    differing = (
        place
        for place in now.keys() & copied.keys()
        if not copied[place].is_symlink() and read_content(now[place].resolve()) != read_content(copied[place])
    )
    return sorted({*(now.keys() ^ copied.keys()), *differing})

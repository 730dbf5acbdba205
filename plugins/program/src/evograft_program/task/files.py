"""The files of a folder that belong to a task, within bounds, and their hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from evograft.api import LOCK_FILE, UserError

MOST_FILES = 2000
MOST_BYTES = 100_000_000
"""Of a folder: its files are copied into the folder of each run."""
GIT = ".git"
"""A history, or, of a submodule or a linked worktree, a file that leads to one."""
SKIPPED = frozenset(
    {
        *(".hg", ".svn"),
        *("__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints"),
        *(".venv", "venv", ".tox", "node_modules"),
        "openevolve_output",
    }
)
"""Folders that hold nothing of a task: histories, caches, environments, and what other engines have written."""
MARKS_OF_OUTPUT = (LOCK_FILE, "pyvenv.cfg", "evolution_db.sqlite")
"""Files of folders that a program has made: a run, an environment of Python, results of ShinkaEvolve."""


def list_files(folder: Path, *, left_out: Collection[Path] = (), ignored: Collection[Path] = ()) -> dict[str, Path]:
    """Return the files of a folder by their path within it, with `/`.

    A linked folder counts as a file, and so does what evaluations read where it is: copies have a link there.

    Args:
        folder: with the user's files.
        left_out: what evaluations read where it is, resolved.
        ignored: files and folders that do not belong to the task.

    Raises:
        UserError: there are more than can be copied, or some cannot be read.
    """
    found: dict[str, Path] = {}
    size = 0
    for path in walk_files(folder, left_out=left_out, ignored=ignored):
        found[path.relative_to(folder).as_posix()] = path
        size += 0 if is_linked(path, left_out) else path.stat().st_size
        if len(found) > MOST_FILES or size > MOST_BYTES:
            raise UserError(_too_large(folder, size))
    return found


def _too_large(folder: Path, size: int) -> str:
    what = f"more than {MOST_FILES} files" if size <= MOST_BYTES else f"more than {MOST_BYTES // 1_000_000} MB"
    return (
        f"{str(folder)!r} holds {what}, and a run copies the folder of its evaluator: put the evaluator and what it "
        "needs into a folder of its own, or name large data with --read PATH, which leaves them where they are"
    )


def is_linked(path: Path, left_out: Collection[Path]) -> bool:
    """Return whether a copy has a link in the place of a path: to a linked folder, or to what is read where it is."""
    return path.is_dir() or path.resolve() in left_out


def walk_files(folder: Path, *, left_out: Collection[Path] = (), ignored: Collection[Path] = ()) -> Iterator[Path]:
    """Yield what `list_files` returns, sorted within each folder and without bounds."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as err:
        raise UserError(f"cannot read {str(folder)!r}: {err.strerror}") from err
    for entry in entries:
        path = Path(entry.path)
        if path in ignored or path.name == GIT:
            continue
        if entry.is_dir(follow_symlinks=False) and path.resolve() not in left_out:
            if not _is_skipped(path):
                yield from walk_files(path, left_out=left_out, ignored=ignored)
        elif (entry.is_file() or entry.is_dir()) and path.suffix != ".pyc":
            yield path


def _is_skipped(folder: Path) -> bool:
    return folder.name in SKIPPED or any((folder / mark).exists() for mark in MARKS_OF_OUTPUT)


def digest_files(files: Mapping[str, Path]) -> str:
    """Return the hash of copied files by their places; a link counts as its target's name.

    Raises:
        UserError: one cannot be read.
    """
    digest = hashlib.sha256()
    for place in sorted(files):
        content = read_content(files[place])
        digest.update(f"{len(place.encode())}:{place}{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def read_content(path: Path) -> bytes:
    """Return the bytes of a file, or the name of a link's target.

    Raises:
        UserError: it cannot be read.
    """
    try:
        return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except OSError as err:
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err

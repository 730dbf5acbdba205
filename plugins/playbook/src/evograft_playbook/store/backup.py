"""The last good state of a playbook: a copy next to it, renewed while the playbook is sound."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from evograft.api import ServiceError, UserError
from evograft_playbook.store.database import backup_path, blame_database, connect, describe_damage, require_sound
from evograft_playbook.store.rows import last_change, require_true_to_history


def back_up(db: sqlite3.Connection, path: Path) -> None:
    """Renew the copy, unless what would be copied is not sound."""
    temporary = path.with_name(f".{path.name}.bak")
    try:
        with _alone(path.parent):
            # Of a process that was killed at it.
            _remove(temporary)
            try:
                _copy(db, temporary, path)
                temporary.replace(backup_path(path))
            finally:
                _remove(temporary)
    except OSError as err:
        raise ServiceError(f"cannot write {str(backup_path(path))!r}: {err.strerror}") from err


def keep_up(db: sqlite3.Connection, path: Path) -> None:
    """Make the copy as new as the playbook: a process that was killed has made none.

    Raises:
        PlaybookDamaged: the playbook is older than its copy.
    """
    copied, there = _last_change_of_copy(path), last_change(db)
    if copied > there:
        raise describe_damage(
            path, f"it ends at change {there}, but change {copied} was written: its -wal file was lost or it is a copy"
        )
    if copied < there:
        back_up(db, path)


def restore(path: Path) -> Path | None:
    """Replace the playbook by its last good state.

    If the playbook was there, it is kept under the returned name.

    Raises:
        UserError: there is no copy that is sound.
    """
    copy = backup_path(path)
    if not copy.exists():
        raise UserError(f"there is no {str(copy)!r}: nothing to put back")
    with contextlib.closing(connect(copy)):
        pass
    aside = _free(path) if path.exists() else None
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        shutil.copyfile(copy, temporary)
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if aside is not None and part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        temporary.replace(path)
    except OSError as err:
        raise ServiceError(f"cannot put {str(path)!r} back: {err.strerror}") from err
    return aside


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Make one copy at a time, also by threads of one process; the lock of a killed process is gone with it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _copy(db: sqlite3.Connection, target: Path, path: Path) -> None:
    with blame_database(path), contextlib.closing(sqlite3.connect(target)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        require_sound(copy, path)
        require_true_to_history(copy)


def _remove(database: Path) -> None:
    for suffix in ("-journal", "-wal", "-shm", ""):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _last_change_of_copy(path: Path) -> int:
    copy = backup_path(path)
    if not copy.exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return last_change(db)
    except sqlite3.Error:
        return 0  # one that can't be read is made anew


def _free(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
    return next(name for name in names if not name.exists())

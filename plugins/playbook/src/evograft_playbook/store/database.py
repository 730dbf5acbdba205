"""The SQLite file below the store: created whole, checked when it is opened, with SQLite's errors in our words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from evograft.api import ServiceError, UserError

SCHEMA_VERSION = 1
APPLICATION = 0x45764762
"""What marks a SQLite file as a playbook."""
PATIENCE = 60.0
"""Seconds that one process waits for another to finish its transaction."""

_TABLES = (
    """CREATE TABLE bullets (
        id TEXT PRIMARY KEY, content TEXT NOT NULL, helpful INTEGER NOT NULL, harmful INTEGER NOT NULL,
        created TEXT NOT NULL, updated TEXT NOT NULL, source TEXT NOT NULL, retired INTEGER NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE changes (
        seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL, at TEXT NOT NULL, source TEXT NOT NULL, kind TEXT NOT NULL,
        bullet_id TEXT NOT NULL, before TEXT, after TEXT, undone INTEGER NOT NULL DEFAULT 0)""",
)
_SCHEMA = (
    f"PRAGMA application_id={APPLICATION}",
    f"PRAGMA user_version={SCHEMA_VERSION}",
    *_TABLES,
    "CREATE INDEX changes_of_a_bullet ON changes (bullet_id)",
    "CREATE INDEX changes_that_stand ON changes (batch) WHERE undone = 0 AND kind <> 'undo'",
)
_OF_THE_DISK = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


class PlaybookDamaged(ServiceError):  # noqa: N818 - it names what is the matter
    """The file of a playbook is not what was written."""


def backup_path(path: Path) -> Path:
    """Return where the last good state of a playbook is kept."""
    return path.with_name(f"{path.name}.bak")


def create(path: Path) -> None:
    """Make an empty playbook, unless another process was first."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with blame_database(path), contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as db:
            # Stays in the file: processes that open it at the same time find nothing to switch.
            db.execute("PRAGMA journal_mode=WAL")
            for statement in _SCHEMA:
                db.execute(statement)
        # A file that is there at once and whole, of which there is one: no reader sees half a playbook.
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    except OSError as err:
        raise UserError(f"cannot make the playbook {str(path)!r}: {err.strerror}") from err
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def connect(path: Path) -> sqlite3.Connection:
    """Open a playbook and check it.

    Raises:
        UserError: it is not a playbook, or one of a newer version.
        PlaybookDamaged: it is not what was written.
    """
    with blame_database(path):
        uri = f"{path.absolute().as_uri()}?mode=rw"
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False)
        try:
            # A file of strangers may bring functions and triggers of its own.
            db.execute("PRAGMA trusted_schema=OFF")
            _inspect(db, path)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
        except BaseException:
            db.close()
            raise
    return db


def _inspect(db: sqlite3.Connection, path: Path) -> None:
    if path.stat().st_size == 0:
        raise describe_damage(path, "it is empty")
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise UserError(f"{str(path)!r} is no playbook: name another file with --playbook")
    if version > SCHEMA_VERSION:
        raise UserError(
            f"{str(path)!r} has schema {version}, this evograft-playbook reads {SCHEMA_VERSION}: "
            "upgrade evograft-playbook"
        )
    require_sound(db, path)
    made = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE type IN ('table', 'trigger', 'view')")}
    if not made.issuperset(_TABLES):
        raise describe_damage(path, "its tables are not those of a playbook")
    if any(not sql.startswith("CREATE TABLE") for sql in made):
        raise UserError(
            f"{str(path)!r} holds triggers or views, which no playbook has: name another file with --playbook"
        )


def require_sound(db: sqlite3.Connection, path: Path) -> None:
    """Raise `PlaybookDamaged` if a page is not what it should be."""
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise describe_damage(path, " ".join(str(verdict).split()))


def describe_damage(path: Path, reason: str) -> PlaybookDamaged:
    """Return the error, with what to do."""
    if backup_path(path).exists():
        advice = f"its last good state is kept, put it back with: evo playbook restore --playbook {path}"
    else:
        advice = "there is no copy of it: begin a new one, and import what was exported"
    return PlaybookDamaged(f"{path} is damaged ({reason}); {advice}")


@contextlib.contextmanager
def blame_database(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line that says what to do."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.NotSupportedError):
        raise  # a mistake of the caller, such as the use of a store that was closed: nothing is wrong with the file
    except sqlite3.Error as err:
        # Those that are ours, for rows that no writer of ours has written, have no code.
        code = getattr(err, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise describe_damage(path, str(err)) from err
        if code == sqlite3.SQLITE_BUSY:
            raise ServiceError(
                f"{path} is busy: another process has been writing for {PATIENCE:g} s; try again"
            ) from err
        if code in _OF_THE_DISK:
            raise ServiceError(f"cannot use {path}: {err}; see to the disk, and to who may write there") from err
        raise

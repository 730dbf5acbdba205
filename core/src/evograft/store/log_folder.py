"""The folder of a log: how its databases are opened, and which error names the log when SQLite fails."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evograft.errors import LogDamaged, ServiceError


@dataclass(frozen=True)
class LogFolder:
    """The folder that holds the databases of one run's log."""

    path: Path
    writable: bool = False
    durable: bool = False
    """Whether a power cut may lose nothing."""
    has_wal: bool = False
    """Whether writers use a write-ahead log."""

    @property
    def log(self) -> Path:
        """The database of the rows."""
        return self.path / "log.sqlite"

    @property
    def word(self) -> str:
        """What names the run in a command, ready for a shell."""
        return shlex.quote(str(self.path))

    @property
    def advice(self) -> str:
        """What to do about a log that is damaged."""
        return f"save what is readable with: evo export {self.word}"

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open a database of the folder."""
        if not self.writable:
            return open_reader(path)
        db = open_database(path, "mode=rwc")
        db.execute(f"PRAGMA journal_mode={'WAL' if self.has_wal else 'DELETE'}")
        db.execute(f"PRAGMA synchronous={'FULL' if self.durable or not self.has_wal else 'NORMAL'}")
        return db

    @contextlib.contextmanager
    def explained_errors(self) -> Iterator[None]:
        """Name the log, and what to do, in place of an error of SQLite.

        Raises:
            ServiceError: the disk is full, or cannot be written.
            LogDamaged: SQLite failed in any other way.
        """
        try:
            yield
        except sqlite3.OperationalError as err:
            if "full" in str(err) or "disk I/O" in str(err):
                hint = f"evo resume {self.word}"
                raise ServiceError(f"cannot write {self.log}: {err}; free some space, then: {hint}", hint=hint) from err
            raise LogDamaged(f"{self.log}: {err}; {self.advice}") from err
        except sqlite3.DatabaseError as err:
            raise LogDamaged(f"{self.log} is damaged ({err}); {self.advice}") from err


def open_database(path: Path, how: str) -> sqlite3.Connection:
    """Open a database with the given parameters of its address, for threads that take turns."""
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10.0, check_same_thread=False)


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a file that another process may be writing to, also where nothing can be written."""
    db = open_database(path, "mode=ro")
    try:
        db.execute("PRAGMA user_version")
    except sqlite3.OperationalError as err:
        db.close()
        if err.sqlite_errorcode != sqlite3.SQLITE_CANTOPEN:
            raise
    else:
        return db
    # SQLite cannot make the file that coordinates readers and writers. Without a write-ahead log there is no writer.
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists() and wal.stat().st_size:
        raise ServiceError(
            f"{wal} cannot be read where nothing can be written: copy the folder {str(path.parent)!r} to another disk"
        )
    return open_database(path, "mode=ro&immutable=1")

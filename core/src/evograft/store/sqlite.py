"""The log of a run in SQLite: append-only rows under a hash chain, and large text beside them by content hash."""

from __future__ import annotations

import collections
import contextlib
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evograft.errors import LogDamaged, UserError
from evograft.store.artifacts import ArtifactDatabase
from evograft.store.filesystem import is_network_folder
from evograft.store.hash_chain import GENESIS, SCHEMA_VERSION, Head, chain_rows, first_line_of, hash_row, row_of
from evograft.store.log_folder import LogFolder
from evograft.store.migrations import migrated
from evograft.store.salvage import SalvagedLog, open_damaged, schema_version
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind

READABLE = 2
"""Logs of earlier versions than this one have to be rewritten before they can be read."""

_CREATE = "CREATE TABLE rows (seq INTEGER PRIMARY KEY, kind TEXT, key TEXT, body TEXT, rest BLOB, hash BLOB)"
_INSERT = "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)"
_VIEW = "CREATE TEMP VIEW texts AS SELECT seq, kind, key, body, rest, hash FROM rows"
_VIEW_OF_OLD = "CREATE TEMP VIEW texts AS SELECT seq, kind, key, body, NULL AS rest, hash FROM rows"
"""A row's text is the body and, unpacked, the rest, which logs before version 3 do not have."""


class SqliteStore:
    """One process writes, one connection that its threads share in turn, one transaction per `append`.

    A row's hash covers its text and the hash of the row before. The file `log.head` names the last row written: what
    SQLite cannot notice, a write-ahead log that was deleted or cut, shows as rows that `log.head` knows and the log
    lacks.
    """

    Options = NoOptions

    def __init__(self, options: NoOptions) -> None:
        self.options = options
        self.warnings: tuple[str, ...] = ()
        self._turn = threading.RLock()

    def create(self, folder: Path, rows: Iterable[NewRow]) -> None:
        self._folder = LogFolder(folder)
        self._path = self._folder.log
        self._write_whole(rows)

    def _write_whole(self, rows: Iterable[NewRow]) -> tuple[int, bytes]:
        """Write a log, and return the place and hash of its last row."""
        # Under another name until it is whole: a log that was not finished is not a log.
        temporary = self._path.with_name("log.sqlite.new")
        temporary.unlink(missing_ok=True)
        values, digest = chain_rows(0, GENESIS, rows)
        with (
            self._folder.explained_errors(),
            contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as db,
        ):
            db.execute("PRAGMA journal_mode=MEMORY")
            db.execute("BEGIN")
            db.execute(_CREATE)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            db.executemany(_INSERT, values)
            db.execute("COMMIT")
        temporary.replace(self._path)
        return len(values) - 1, digest

    def open(self, folder: Path, *, durable: bool, writable: bool = True, accept_loss: bool = False) -> None:
        self._path = folder / "log.sqlite"
        if not self._path.exists():
            raise LogDamaged(
                f"{self._path} is missing: restore it from a copy; without it there is nothing to go on from"
            )
        has_wal = not is_network_folder(folder)
        if not has_wal:
            self.warnings = (f"{folder} is on a network file system: the log uses a rollback journal, which is slower",)
        self._folder = LogFolder(folder, writable=writable, durable=durable, has_wal=has_wal)
        self._artifacts = ArtifactDatabase(self._folder, self._turn)
        self._head = Head(folder / "log.head", writable=writable)
        with self._folder.explained_errors():
            self._db = self._folder.connect(self._path)
            version = self._inspect()
        if writable and version < SCHEMA_VERSION:
            self._migrate(version)
        self._next, self._hash = self._tip(accept_loss=accept_loss)
        if writable:
            # Before anything is built on it: the whole chain, 5 µs a row.
            collections.deque(self.rows(), maxlen=0)

    def _migrate(self, version: int) -> None:
        """Rewrite the log of an earlier version, which is kept next to it."""
        self._tip(accept_loss=False)
        rows = [migrated(row, version=version) for row in self.rows()]
        with (
            self._folder.explained_errors(),
            contextlib.closing(sqlite3.connect(self._path.with_name(f"log.v{version}.sqlite"))) as copy,
        ):
            self._db.backup(copy)
        self._db.close()
        for name in ("log.sqlite-wal", "log.sqlite-shm"):
            self._path.with_name(name).unlink(missing_ok=True)
        self._head.write(-1, GENESIS)  # until the new log is in place: its rows have other hashes
        self._head.write(*self._write_whole(rows))
        with self._folder.explained_errors():
            self._db = self._folder.connect(self._path)
            self._db.execute(_VIEW)

    def _inspect(self) -> int:
        """Return the schema version of the log."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        self._require_readable(version)
        if version == 0:
            raise LogDamaged(f"{self._path} has no header: it is no log of a run, or was cut; {self._folder.advice}")
        self._db.execute(_VIEW_OF_OLD if version < SCHEMA_VERSION else _VIEW)
        if not self._folder.writable:
            return int(version)
        # A flipped bit in a page that no row lies in would otherwise show much later.
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise LogDamaged(f"{self._path} is damaged ({' '.join(verdict.split())}); {self._folder.advice}")
        return int(version)

    def _require_readable(self, version: int) -> None:
        if version > SCHEMA_VERSION:
            raise UserError(
                f"{self._path} has schema {version}, this evograft reads {SCHEMA_VERSION}: upgrade evograft"
            )
        if version in range(1, READABLE) and not self._folder.writable:
            raise UserError(
                f"{self._path} was written by an earlier evograft (schema {version}); rewrite it, a copy is kept, "
                f"with: evo resume {self._folder.word}"
            )

    def _tip(self, *, accept_loss: bool) -> tuple[int, bytes]:
        """Return the next place and the hash of the last row, which must not lie before what `log.head` has seen."""
        # The head is read first: a live writer may add rows in between.
        seen, digest = self._head.read()
        with self._folder.explained_errors():
            last = self._db.execute("SELECT seq, hash FROM rows ORDER BY seq DESC LIMIT 1").fetchone() or (-1, GENESIS)
            row = self._db.execute("SELECT hash FROM rows WHERE seq = ?", (seen,)).fetchone() if seen >= 0 else None
        if seen > last[0] and not accept_loss:
            hint = f"evo resume {self._folder.word} --accept-loss"
            raise LogDamaged(
                f"{self._path} ends at row {last[0]}, but row {seen} was written: its write-ahead log "
                f"({self._path.name}-wal) was deleted or cut, or power failed; {self._folder.advice}; "
                f"go on without the lost rows with: {hint}",
                hint=hint,
            )
        if row is not None and row[0] != digest:
            raise LogDamaged(f"{self._path}: row {seen} is not the one that was written; {self._folder.advice}")
        return last[0] + 1, last[1]

    def append(self, rows: Iterable[NewRow]) -> int:
        with self._turn, self._folder.explained_errors():
            self._head.require_in_place()
            values, digest = chain_rows(self._next, self._hash, rows)
            if len(values) == 1:
                self._db.execute(_INSERT, values[0])
            else:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany(_INSERT, values)
                self._db.execute("COMMIT")
            self._next, self._hash = self._next + len(values), digest
            self._head.write(self._next - 1, digest)
            return self._next - 1

    def rows(self, *, after: int = -1) -> Iterator[Row]:
        expected, digest = after + 1, self._hash_at(after)
        with self._folder.explained_errors():
            # Rows that are added meanwhile are left to whoever adds them.
            (last,) = self._db.execute("SELECT max(seq) FROM rows").fetchone()
            for *stored, found in self._db.execute(
                "SELECT seq, kind, key, body, rest, hash FROM texts WHERE seq > ? AND seq <= ? ORDER BY seq",
                (after, last),
            ):
                row = self._row(stored)
                if row.seq != expected:
                    raise LogDamaged(f"{self._path}: row {expected} is missing; {self._folder.advice}", seq=row.seq - 1)
                if digest is not None and hash_row(digest, row) != found:
                    raise LogDamaged(
                        f"{self._path}: row {row.seq} was changed after it was written; {self._folder.advice}",
                        seq=row.seq,
                    )
                digest = found
                yield row
                expected += 1

    def salvage(self, folder: Path) -> Iterator[Row | LogDamaged]:
        """Open a log that may be damaged; yield each row, and for each that cannot be read what is wrong with it."""
        self._folder = LogFolder(folder)
        self._path = self._folder.log
        if not self._path.exists():
            raise LogDamaged(f"{self._path} is missing: restore it from a copy")
        self._require_readable(schema_version(self._path))
        self._db = open_damaged(self._path)
        self._artifacts = ArtifactDatabase(self._folder, self._turn)
        self._head = Head(folder / "log.head", writable=False)
        return SalvagedLog(self._path, self._db, self._head).rows()

    def _hash_at(self, seq: int) -> bytes | None:
        """Return what the next row is chained to; `None` where the row is lost."""
        if seq < 0:
            return GENESIS
        row = self._db.execute("SELECT hash FROM rows WHERE seq = ?", (seq,)).fetchone()
        return bytes(row[0]) if row else None

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        with self._folder.explained_errors():
            yield from self._db.execute("SELECT seq, key FROM rows WHERE kind = ? ORDER BY seq", (kind,))

    def heads(self, kind: RowKind) -> Iterator[Row]:
        with self._folder.explained_errors():
            rows = self._db.execute("SELECT seq, key, body, rest FROM texts WHERE kind = ? ORDER BY seq", (kind,))
            for seq, key, body, rest in rows:
                yield Row.model_construct(seq=seq, kind=kind, key=key, body=first_line_of(body, rest))

    def get(self, seq: int) -> Row:
        with self._turn, self._folder.explained_errors():
            found = self._db.execute("SELECT seq, kind, key, body, rest FROM texts WHERE seq = ?", (seq,)).fetchone()
        if found is None:
            raise KeyError(seq)
        return self._row(found)

    def _row(self, stored: Sequence[Any]) -> Row:
        seq, kind, key, body, rest = stored
        try:
            return row_of(seq, kind, key, body, rest)
        except (zlib.error, ValueError) as err:
            raise LogDamaged(
                f"{self._path}: row {seq} was changed after it was written; {self._folder.advice}", seq=seq
            ) from err

    def put_artifact(self, text: str) -> str:
        return self._artifacts.put(text)

    def get_artifact(self, digest: str) -> str:
        return self._artifacts.get(digest)

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # a disk that is full cannot be tidied up either
            self._db.close()
        self._artifacts.close()
        self._head.close()

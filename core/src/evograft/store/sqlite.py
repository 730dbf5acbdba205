"""The log of a run in SQLite: append-only rows under a hash chain, and large text beside them by content hash.

Long texts are compressed. Hashes are of the texts, so that how they are compressed is not part of what was written.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evograft.errors import LogDamaged, ServiceError, UserError
from evograft.store.filesystem import is_network_folder
from evograft.store.migrations import migrated
from evograft.store.salvage import Stored, schema_version, stored_rows
from evograft_hookspecs import NoOptions
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind

SCHEMA_VERSION = 3
READABLE = 2
"""Logs of earlier versions than this one have to be rewritten before they can be read."""
PACKED = 512
"""Texts with more bytes are compressed."""
GENESIS = b"\0" * 32

_CREATE = "CREATE TABLE rows (seq INTEGER PRIMARY KEY, kind TEXT, key TEXT, body TEXT, rest BLOB, hash BLOB)"
_INSERT = "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)"
_VIEW = "CREATE TEMP VIEW texts AS SELECT seq, kind, key, body, rest, hash FROM rows"
_VIEW_OF_OLD = "CREATE TEMP VIEW texts AS SELECT seq, kind, key, body, NULL AS rest, hash FROM rows"
"""A row's text is the body and, unpacked, the rest, which logs before version 3 do not have."""
_HEAD = struct.Struct(">q32s")


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
        self._artifacts: sqlite3.Connection | None = None
        self._turn = threading.RLock()

    def create(self, folder: Path, rows: Iterable[NewRow]) -> None:
        self._path = folder / "log.sqlite"
        self._write_whole(rows)

    def _write_whole(self, rows: Iterable[NewRow]) -> tuple[int, bytes]:
        """Write a log, and return the place and hash of its last row."""
        # Under another name until it is whole: a log that was not finished is not a log.
        temporary = self._path.with_name("log.sqlite.new")
        temporary.unlink(missing_ok=True)
        values, digest = _chain(0, GENESIS, rows)
        with self._blamed(), contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode=MEMORY")
            db.execute("BEGIN")
            db.execute(_CREATE)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            db.executemany(_INSERT, values)
            db.execute("COMMIT")
        temporary.replace(self._path)
        return len(values) - 1, digest

    def open(self, folder: Path, *, durable: bool, writable: bool = True, accept_loss: bool = False) -> None:
        self._folder, self._writable, self._durable = folder, writable, durable
        self._path = folder / "log.sqlite"
        self._artifacts = None
        if not self._path.exists():
            raise LogDamaged(
                f"{self._path} is missing: restore it from a copy; without it there is nothing to go on from"
            )
        self._wal = not is_network_folder(folder)
        if not self._wal:
            self.warnings = (f"{folder} is on a network file system: the log uses a rollback journal, which is slower",)
        self._head = _Head(folder / "log.head", writable=writable)
        with self._blamed():
            self._db = self._connect(self._path)
            version = self._inspect()
        if writable and version < SCHEMA_VERSION:
            self._migrate(version)
        self._next, self._hash = self._tip(accept_loss=accept_loss)
        if writable:
            # Before anything is built on it: the whole chain, 5 µs a row.
            collections.deque(self.rows(), maxlen=0)

    def _connect(self, path: Path) -> sqlite3.Connection:
        if not self._writable:
            return _reader(path)
        db = _connected(path, "mode=rwc")
        db.execute(f"PRAGMA journal_mode={'WAL' if self._wal else 'DELETE'}")
        db.execute(f"PRAGMA synchronous={'FULL' if self._durable or not self._wal else 'NORMAL'}")
        return db

    def _migrate(self, version: int) -> None:
        """Rewrite the log of an earlier version, which is kept next to it."""
        self._tip(accept_loss=False)
        rows = [migrated(row, version=version) for row in self.rows()]
        with (
            self._blamed(),
            contextlib.closing(sqlite3.connect(self._path.with_name(f"log.v{version}.sqlite"))) as copy,
        ):
            self._db.backup(copy)
        self._db.close()
        for name in ("log.sqlite-wal", "log.sqlite-shm"):
            self._path.with_name(name).unlink(missing_ok=True)
        self._head.write(-1, GENESIS)  # until the new log is in place: its rows have other hashes
        self._head.write(*self._write_whole(rows))
        with self._blamed():
            self._db = self._connect(self._path)
            self._db.execute(_VIEW)

    def _inspect(self) -> int:
        """Return the schema version of the log."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        self._require_readable(version)
        if version == 0:
            raise LogDamaged(f"{self._path} has no header: it is no log of a run, or was cut; {self._advice()}")
        self._db.execute(_VIEW_OF_OLD if version < SCHEMA_VERSION else _VIEW)
        if not self._writable:
            return int(version)
        # A flipped bit in a page that no row lies in would otherwise show much later.
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise LogDamaged(f"{self._path} is damaged ({' '.join(verdict.split())}); {self._advice()}")
        return int(version)

    def _require_readable(self, version: int) -> None:
        if version > SCHEMA_VERSION:
            raise UserError(
                f"{self._path} has schema {version}, this evograft reads {SCHEMA_VERSION}: upgrade evograft"
            )
        if version in range(1, READABLE) and not self._writable:
            raise UserError(
                f"{self._path} was written by an earlier evograft (schema {version}); rewrite it, a copy is kept, "
                f"with: evo resume {self._folder}"
            )

    def _tip(self, *, accept_loss: bool) -> tuple[int, bytes]:
        """Return the next place and the hash of the last row, which must not lie before what `log.head` has seen."""
        # The head is read first: a live writer may add rows in between.
        seen, digest = self._head.read()
        with self._blamed():
            last = self._db.execute("SELECT seq, hash FROM rows ORDER BY seq DESC LIMIT 1").fetchone() or (-1, GENESIS)
            row = self._db.execute("SELECT hash FROM rows WHERE seq = ?", (seen,)).fetchone() if seen >= 0 else None
        if seen > last[0] and not accept_loss:
            hint = f"evo resume {self._folder} --accept-loss"
            raise LogDamaged(
                f"{self._path} ends at row {last[0]}, but row {seen} was written: its write-ahead log "
                f"({self._path.name}-wal) was deleted or cut, or power failed; {self._advice()}; "
                f"go on without the lost rows with: {hint}",
                hint=hint,
            )
        if row is not None and row[0] != digest:
            raise LogDamaged(f"{self._path}: row {seen} is not the one that was written; {self._advice()}")
        return last[0] + 1, last[1]

    def append(self, rows: Iterable[NewRow]) -> int:
        with self._turn, self._blamed():
            values, digest = _chain(self._next, self._hash, rows)
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
        with self._blamed():
            # Rows that are added meanwhile are left to whoever adds them.
            (last,) = self._db.execute("SELECT max(seq) FROM rows").fetchone()
            for *stored, found in self._db.execute(
                "SELECT seq, kind, key, body, rest, hash FROM texts WHERE seq > ? AND seq <= ? ORDER BY seq",
                (after, last),
            ):
                row = self._row(stored)
                if row.seq != expected:
                    raise LogDamaged(f"{self._path}: row {expected} is missing; {self._advice()}", seq=row.seq - 1)
                if digest is not None and _chained(digest, row) != found:
                    raise LogDamaged(
                        f"{self._path}: row {row.seq} was changed after it was written; {self._advice()}", seq=row.seq
                    )
                digest = found
                yield row
                expected += 1

    def salvage(self, folder: Path) -> Iterator[Row | LogDamaged]:
        """Open a log that may be damaged; yield each row, and for each that cannot be read what is wrong with it."""
        self._folder, self._path, self._writable = folder, folder / "log.sqlite", False
        if not self._path.exists():
            raise LogDamaged(f"{self._path} is missing: restore it from a copy")
        self._require_readable(schema_version(self._path))
        try:
            self._db = _reader(self._path)
        except sqlite3.DatabaseError:
            self._db = _connected(self._path, "mode=ro")
        with contextlib.suppress(sqlite3.DatabaseError):
            # So that SQLite reads a file that was cut as far as there are pages.
            self._db.execute("PRAGMA writable_schema=ON")
        self._head = _Head(folder / "log.head", writable=False)
        return self._salvaged_rows()

    def _salvaged_rows(self) -> Iterator[Row | LogDamaged]:
        before: set[bytes] = {GENESIS}
        lost: list[int] = []
        noted, _ = self._head.read()
        seq = -1
        for seq, stored in stored_rows(self._path, self._db, last=noted):
            if stored is None:
                lost.append(seq)
                before = set()
                continue
            if lost:
                yield self._missing(lost)
                lost = []
            row = self._salvaged(stored)
            digests = {_chained(digest, row) for digest in before} if row else set()
            if row is None or (before and stored.hash not in digests):
                yield LogDamaged(f"{self._path}: row {seq} was changed after it was written", seq=seq)
                # Either the text or the hash may have been changed: the next row is sound if it follows from either.
                before = {stored.hash, *digests}
            else:
                yield row
                before = {stored.hash}
        if lost:
            yield self._missing(lost)
        if noted > seq:
            yield LogDamaged(f"{self._path}: rows {seq + 1} to {noted} are missing, or log.head is damaged")

    def _missing(self, lost: Sequence[int]) -> LogDamaged:
        rows = f"row {lost[0]} is" if len(lost) == 1 else f"rows {lost[0]} to {lost[-1]} are"
        return LogDamaged(f"{self._path}: {rows} missing or cannot be read", seq=lost[-1])

    def _salvaged(self, stored: Stored) -> Row | None:
        try:
            rest = b"" if stored.rest is None else zlib.decompress(stored.rest)
            kind, key, body = (text.decode() for text in (stored.kind, stored.key, stored.body + rest))
        except (zlib.error, UnicodeDecodeError):
            return None
        return Row.model_construct(seq=stored.seq, kind=kind, key=key, body=body)  # type: ignore[arg-type]

    def _hash_at(self, seq: int) -> bytes | None:
        """Return what the next row is chained to; `None` where the row is lost."""
        if seq < 0:
            return GENESIS
        row = self._db.execute("SELECT hash FROM rows WHERE seq = ?", (seq,)).fetchone()
        return bytes(row[0]) if row else None

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        with self._blamed():
            yield from self._db.execute("SELECT seq, key FROM rows WHERE kind = ? ORDER BY seq", (kind,))

    def heads(self, kind: RowKind) -> Iterator[Row]:
        with self._blamed():
            rows = self._db.execute("SELECT seq, key, body, rest FROM texts WHERE kind = ? ORDER BY seq", (kind,))
            for seq, key, body, rest in rows:
                line = (body if body or rest is None else _unpacked(rest)).partition("\n")[0]
                yield Row.model_construct(seq=seq, kind=kind, key=key, body=line)

    def get(self, seq: int) -> Row:
        with self._turn, self._blamed():
            found = self._db.execute("SELECT seq, kind, key, body, rest FROM texts WHERE seq = ?", (seq,)).fetchone()
        if found is None:
            raise KeyError(seq)
        return self._row(found)

    def _row(self, stored: Sequence[Any]) -> Row:
        seq, kind, key, body, rest = stored
        try:
            text = body if rest is None else body + _unpacked(rest)
        except (zlib.error, ValueError) as err:
            raise LogDamaged(
                f"{self._path}: row {seq} was changed after it was written; {self._advice()}", seq=seq
            ) from err
        return Row.model_construct(seq=seq, kind=kind, key=key, body=text)

    def put_artifact(self, text: str) -> str:
        encoded = text.encode()
        digest = hashlib.sha256(encoded).hexdigest()
        with self._turn, self._blamed():
            self._artifact_db().execute(
                "INSERT OR IGNORE INTO artifacts VALUES (?, ?)", (digest, zlib.compress(encoded))
            )
        return digest

    def get_artifact(self, digest: str) -> str:
        path = self._folder / "artifacts.sqlite"
        row = None
        if path.exists():
            with self._turn, self._blamed():
                row = self._artifact_db().execute("SELECT text FROM artifacts WHERE hash = ?", (digest,)).fetchone()
        text = _text_of(row[0], digest) if row is not None else None
        if text is None:
            raise LogDamaged(f"{path} lacks a program that the log names, or holds it changed; {self._advice()}")
        return text.decode()

    def _artifact_db(self) -> sqlite3.Connection:
        if self._artifacts is None:
            self._artifacts = self._connect(self._folder / "artifacts.sqlite")
            if self._writable:
                self._artifacts.execute("CREATE TABLE IF NOT EXISTS artifacts (hash TEXT PRIMARY KEY, text BLOB)")
        return self._artifacts

    def close(self) -> None:
        for db in (self._db, self._artifacts):
            if db is not None:
                with contextlib.suppress(sqlite3.Error):  # a disk that is full cannot be tidied up either
                    db.close()
        self._head.close()

    def _advice(self) -> str:
        return f"save what is readable with: evo export {self._folder}"

    @contextlib.contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as err:
            if "full" in str(err) or "disk I/O" in str(err):
                hint = f"evo resume {self._folder}"
                raise ServiceError(
                    f"cannot write {self._path}: {err}; free some space, then: {hint}", hint=hint
                ) from err
            raise LogDamaged(f"{self._path}: {err}; {self._advice()}") from err
        except sqlite3.DatabaseError as err:
            raise LogDamaged(f"{self._path} is damaged ({err}); {self._advice()}") from err


def _connected(path: Path, how: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10.0, check_same_thread=False)


def _reader(path: Path) -> sqlite3.Connection:
    """Open a file that another process may be writing to, also where nothing can be written."""
    db = _connected(path, "mode=ro")
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
    return _connected(path, "mode=ro&immutable=1")


class _Head:
    """The place and hash of the last row, written after it: 40 bytes, overwritten in place."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
        self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o644) if writable or path.exists() else None

    def read(self) -> tuple[int, bytes]:
        data = os.pread(self._descriptor, _HEAD.size, 0) if self._descriptor is not None else b""
        if len(data) < _HEAD.size:
            return -1, GENESIS
        seq, digest = _HEAD.unpack(data)
        return seq, digest

    def write(self, seq: int, digest: bytes) -> None:
        if self._descriptor is not None:
            os.pwrite(self._descriptor, _HEAD.pack(seq, digest), 0)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _chain(seq: int, digest: bytes, rows: Iterable[NewRow]) -> tuple[list[tuple[Any, ...]], bytes]:
    """Return the rows as they are stored from a place on, and the hash of the last."""
    values = []
    for row in rows:
        digest = _chained(digest, Row.model_construct(seq=seq, kind=row.kind, key=row.key, body=row.body))
        values.append((seq, row.kind, row.key, *_packed(row.body), digest))
        seq += 1
    return values, digest


def _chained(previous: bytes, row: Row) -> bytes:
    text = f"{row.seq}\n{row.kind}\n{len(row.key)}\n{row.key}\n{row.body}"
    return hashlib.sha256(previous + text.encode()).digest()


def _packed(text: str) -> tuple[str, bytes | None]:
    """Split a text into its first line, as it is for a quick look, and the rest, compressed where it is long."""
    head, end, tail = text.partition("\n")
    if len(tail) > PACKED:
        return head + end, zlib.compress(tail.encode())
    return ("", zlib.compress(text.encode())) if len(text) > PACKED else (text, None)


def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode()


def _text_of(stored: object, digest: str) -> bytes | None:
    """Return the artifact with this hash; `None`: it was changed. Earlier versions kept artifacts as they are."""
    if not isinstance(stored, bytes):
        return None
    if hashlib.sha256(stored).hexdigest() == digest:
        return stored
    try:
        text = zlib.decompress(stored)
    except zlib.error:
        return None
    return text if hashlib.sha256(text).hexdigest() == digest else None

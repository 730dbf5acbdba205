"""The log of a run in PostgreSQL: the same rows under the same hash chain as in a folder, for several machines."""

from __future__ import annotations

import collections
import hashlib
import json
import shlex
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from psycopg import errors

from evograft.api import (
    GENESIS,
    SCHEMA_VERSION,
    LogDamaged,
    ServiceError,
    UserError,
    chain_rows,
)
from evograft_hookspecs.drivers.shared_store import RunStorage, SharedPlace, SharedRun
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind
from evograft_postgres.database import Connection, Database
from evograft_postgres.layout import REMOVE, ensure_layout, require_layout
from evograft_postgres.log_rows import LogRows
from evograft_postgres.options import PostgresOptions
from evograft_postgres.storage import PostgresStorage, describe_claim, notify

_INSERT = "INSERT INTO evograft.rows VALUES (%s, %s, %s, %s, %s, %s, %s)"
_KEEP = "INSERT INTO evograft.artifacts VALUES (%s, %s) ON CONFLICT DO NOTHING"
_NOTIFY_EVERY = 0.2
"""Seconds between two notices of new rows: a notice is as expensive as a row."""


class PostgresStore:
    """One process writes, one connection that its threads share in turn, one transaction per `append`.

    The primary key keeps two writers apart: of two rows for one place the second is refused, and its writer stops. The
    same key answers whether a row was written whose transaction was cut off: it is sent again.
    """

    Options = PostgresOptions

    def __init__(self, options: PostgresOptions) -> None:
        self.options = options
        self.warnings: tuple[str, ...] = ()
        self._next, self._hash = 0, GENESIS
        self._writable = self._durable = False
        self._turn = threading.RLock()
        self._artifacts: dict[bytes, bytes] = {}
        self._notified = 0.0
        self._stopped: ServiceError | None = None

    @property
    def address(self) -> str:
        return self.options.url

    def runs(self) -> Iterator[SharedRun]:
        with closing(_database_of_all(self.address)) as database:
            found = database.run(_list_runs)
        yield from (SharedRun(id=run, name=name) for run, name in found)

    def storage(self, run: str) -> RunStorage:
        return PostgresStorage(self.address, run, patience=self.options.patience)

    def remove(self, run: str) -> None:
        def removed(connection: Connection) -> None:
            with connection.transaction():
                for statement in REMOVE:
                    connection.execute(statement, (run,))
                connection.execute("DELETE FROM evograft.runs WHERE id = %s", (run,))

        with closing(_database_of_all(self.address)) as database:
            database.run(removed)

    def create(self, folder: Path, rows: Iterable[NewRow]) -> None:
        first = list(rows)
        header = json.loads(first[0].body)
        self._go_to(str(header["id"]))
        self._database = Database(
            self.address,
            "evograft log",
            patience=self.options.patience,
            hint="repeat the command",
            prepare=lambda connection: ensure_layout(connection, self.address),
        )
        values = [_stored(self._run, each) for each in chain_rows(0, GENESIS, first)[0]]

        def created(connection: Connection) -> None:
            try:
                with connection.transaction():
                    connection.execute(
                        "INSERT INTO evograft.runs VALUES (%s, %s, %s)", (self._run, folder.name, SCHEMA_VERSION)
                    )
                    connection.cursor().executemany(_INSERT, values)
            except errors.UniqueViolation as err:
                if not _is_written(connection, values):
                    raise UserError(f"{self._name} is there already: start another run") from err

        with closing(self._database):
            self._database.run(created)

    def open(self, folder: Path, *, durable: bool, writable: bool = True, accept_loss: bool = False) -> None:  # noqa: ARG002 - nothing is lost behind the end of a log here
        place = SharedPlace.find(folder)
        if place is None:
            raise LogDamaged(f"{folder} lacks the file shared.json, which names its run in {self.address}")
        self._go_to(place.run)
        self._writable, self._durable = writable, durable
        self._database = Database(
            self.address,
            "evograft log",
            patience=self.options.patience if writable else 0.0,
            hint=f"evo {'resume' if writable else 'status'} {self._word}",
            prepare=self._prepare,
        )
        self._rows = LogRows(self._database, self._run, self._name)
        with ExitStack() as on_failure:
            on_failure.callback(self._database.close)
            self._database.run(self._require_readable)
            if writable:
                # The whole chain, before anything is built on it.
                last = collections.deque(self._rows.checked(), maxlen=1)
                self._next, self._hash = (last[0][0].seq + 1, last[0][1]) if last else (0, GENESIS)
            on_failure.pop_all()

    def append(self, rows: Iterable[NewRow]) -> int:
        with self._turn:
            if self._stopped is not None:
                raise self._stopped
            values, digest = chain_rows(self._next, self._hash, rows)
            stored, artifacts = [_stored(self._run, each) for each in values], sorted(self._artifacts.items())
            self._database.run(lambda connection: self._write(connection, stored, artifacts))
            self._artifacts.clear()
            self._next, self._hash = self._next + len(values), digest
            return self._next - 1

    def rows(self, *, after: int = -1) -> Iterator[Row]:
        return (row for row, _ in self._rows.checked(after=after))

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        return self._rows.keys(kind)

    def heads(self, kind: RowKind) -> Iterator[Row]:
        return self._rows.heads(kind)

    def get(self, seq: int) -> Row:
        return self._rows.get(seq)

    def put_artifact(self, text: str) -> str:
        encoded = text.encode()
        digest = hashlib.sha256(encoded)
        with self._turn:
            # It is written with the next rows, of which one names it: a crash of the server cannot come between.
            self._artifacts[digest.digest()] = zlib.compress(encoded)
        return digest.hexdigest()

    def get_artifact(self, digest: str) -> str:
        key = bytes.fromhex(digest)
        packed = self._artifacts.get(key)
        if packed is None:
            query = "SELECT text FROM evograft.artifacts WHERE hash = %s"
            found = self._database.run(
                lambda connection: connection.cursor(binary=True).execute(query, (key,)).fetchone()
            )
            packed = found[0] if found else b""
        try:
            text = zlib.decompress(packed)
        except zlib.error:
            text = b""
        if hashlib.sha256(text).digest() != key:
            raise LogDamaged(
                f"{self.address} lacks a program that the log names, or holds it changed; {self._rows.advice}"
            )
        return text.decode()

    def close(self) -> None:
        self._database.close()

    def _prepare(self, connection: Connection) -> None:
        """Set a new connection up; the last row that was written must still be the last but for what is in doubt."""
        require_layout(connection, self.address)
        if not self._writable:
            return
        connection.execute(f"SET synchronous_commit = {'on' if self._durable else 'off'}".encode())
        if self._next == 0:
            return
        query = "SELECT hash FROM evograft.rows WHERE run = %s AND seq = %s"
        found = connection.execute(query, (self._run, self._next - 1)).fetchone()
        if found is None:
            self._stopped = ServiceError(
                f"{self._name}: the server lost row {self._next - 1} in a crash; what it lost is done again by: "
                f"evo resume {self._word}",
                hint=f"evo resume {self._word}",
            )
            raise self._stopped
        if found[0] != self._hash:
            raise self._displaced(connection, self._next - 1)

    def _require_readable(self, connection: Connection) -> None:
        found = connection.execute("SELECT version FROM evograft.runs WHERE id = %s", (self._run,)).fetchone()
        if found is None:
            raise LogDamaged(f"{self.address} has no run {self._run}: restore it, or correct the address")
        if found[0] > SCHEMA_VERSION:
            raise UserError(
                f"{self._name} has schema {found[0]}, this evograft reads {SCHEMA_VERSION}: upgrade evograft"
            )

    def _write(
        self, connection: Connection, values: list[tuple[Any, ...]], artifacts: list[tuple[bytes, bytes]]
    ) -> None:
        is_due = time.monotonic() - self._notified > _NOTIFY_EVERY
        try:
            if artifacts or is_due or len(values) > 1:
                with connection.pipeline(), connection.transaction():
                    if artifacts:
                        connection.cursor().executemany(_KEEP, artifacts)
                    connection.cursor().executemany(_INSERT, values)
                    if is_due:
                        notify(connection, self._run)
            else:
                connection.execute(_INSERT, values[0])
        except errors.UniqueViolation as err:
            # Whoever writes knows its own rows again: the first attempt was cut off after all was done.
            if not _is_written(connection, values):
                raise self._displaced(connection, values[0][1]) from err
        if is_due:
            self._notified = time.monotonic()

    def _displaced(self, connection: Connection, seq: int) -> ServiceError:
        """Return the error of a writer that another one has overtaken; it writes no more."""
        self._stopped = ServiceError(
            f"run {self._run}: row {seq} was written by {describe_claim(connection, self._run)} meanwhile: this "
            f"session ends, and nothing of the other's was overwritten; see: evo status {self._word}",
            hint=f"evo status {self._word}",
        )
        return self._stopped

    def _go_to(self, run: str) -> None:
        self._run, self._name = run, f"{self.address}#{run}"
        self._word = shlex.quote(self._name)
        self._next, self._hash, self._stopped = 0, GENESIS, None


def _stored(run: str, value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row as its columns take it."""
    seq, kind, key, body, rest, digest = value
    return run, seq, kind, key.encode(), body.encode(), rest, digest


def _is_written(connection: Connection, values: list[tuple[Any, ...]]) -> bool:
    """Return whether just these rows are the last of their log."""
    query = "SELECT hash FROM evograft.rows WHERE run = %s AND seq >= %s ORDER BY seq"
    found = connection.execute(query, values[0][:2]).fetchall()
    return [row[0] for row in found] == [each[-1] for each in values]


def _database_of_all(address: str) -> Database:
    """Return a connection for what concerns no run alone."""
    return Database(address, "evograft", patience=0.0, hint="repeat the command", prepare=lambda _: None)


def _list_runs(connection: Connection) -> list[tuple[Any, ...]]:
    """Return ids and names of all runs; a database without our tables has none."""
    (tables,) = connection.execute("SELECT to_regclass('evograft.runs')").fetchone() or (None,)
    if tables is None:
        return []
    return connection.execute("SELECT id, name FROM evograft.runs ORDER BY begun, id").fetchall()

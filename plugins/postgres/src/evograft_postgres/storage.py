"""What belongs to a run next to its log, in PostgreSQL: documents, messages, and the claim of the process at work."""

from __future__ import annotations

import hashlib
import os
import shlex
import socket
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from evograft.api import UserError
from evograft_hookspecs.drivers.shared_store import Writer
from evograft_postgres.database import Connection, Database
from evograft_postgres.layout import ensure_layout, require_layout

_HOLDER = """
SELECT c.token, c.backend, c.process, c.host, extract(epoch FROM c.since)::float8, c.note
FROM evograft.claims c JOIN pg_locks l ON l.pid = c.backend AND l.locktype = 'advisory' AND l.granted
WHERE c.run = %s AND (l.classid::bigint << 32 | l.objid::bigint) = %s AND l.objsubid = 1
"""
_CLAIM = """
INSERT INTO evograft.claims VALUES (%s, %s, pg_backend_pid(), %s, %s, %s, %s, now())
ON CONFLICT (run) DO UPDATE SET (token, backend, process, host, since, note, written)
    = (excluded.token, excluded.backend, excluded.process, excluded.host, excluded.since, excluded.note, now())
"""
_WRITE = """
INSERT INTO evograft.documents VALUES (%s, %s, %s, now())
ON CONFLICT (run, name) DO UPDATE SET content = excluded.content, written = now()
"""
_LAST_WRITTEN = """
SELECT extract(epoch FROM greatest(
    (SELECT max(written) FROM evograft.documents WHERE run = %(run)s),
    (SELECT written FROM evograft.claims WHERE run = %(run)s), 'epoch'))::float8
"""
GRACE = 10.0
"""Seconds within which the server is expected to end a connection of this process that was lost."""


class PostgresStorage:
    """The claim is a lock of the session, so that it ends with its process or its connection.

    It is taken again on a new connection. Whoever is overtaken in between learns it here or at the next row.

    Args:
        url: of the database.
        run: the id of the run.
        patience: seconds for which a database that went away is waited for by the process that works on the run.
    """

    def __init__(self, url: str, run: str, *, patience: float) -> None:
        self._run = run
        self._token = ""
        self._since = datetime.now(UTC)
        self._note = ""
        self._lock = lock_of(run)
        self._name = f"{url}#{run}"
        self._word = shlex.quote(self._name)
        self._database = Database(
            url, "evograft run", patience=patience, hint=f"evo resume {self._word}", prepare=self._prepare
        )

    def read_document(self, name: str) -> bytes | None:
        found = self._ask("SELECT content FROM evograft.documents WHERE run = %s AND name = %s", name)
        return bytes(found[0][0]) if found else None

    def write_document(self, name: str, content: bytes | None) -> None:
        def write(connection: Connection) -> None:
            ensure_layout(connection, self._name)
            with connection.transaction():
                if content is None:
                    connection.execute("DELETE FROM evograft.documents WHERE run = %s AND name = %s", (self._run, name))
                else:
                    connection.execute(_WRITE, (self._run, name, content))
                notify(connection, self._run)

        self._database.run(write)

    def send_message(self, message: str, body: str) -> None:
        def send(connection: Connection) -> None:
            with connection.transaction():
                connection.execute(
                    "INSERT INTO evograft.messages VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                    (self._run, message, body),
                )
                notify(connection, self._run)

        self._database.run(send)

    def messages(self) -> list[tuple[str, str]]:
        return [
            (message, body)
            for message, body in self._ask("SELECT id, body FROM evograft.messages WHERE run = %s ORDER BY id")
        ]

    def has_message(self, message: str) -> bool:
        return bool(self._ask("SELECT FROM evograft.messages WHERE run = %s AND id = %s", message))

    def remove_message(self, message: str) -> None:
        def remove(connection: Connection) -> None:
            with connection.transaction():
                connection.execute("DELETE FROM evograft.messages WHERE run = %s AND id = %s", (self._run, message))
                notify(connection, self._run)

        self._database.run(remove)

    def refuse_message(self, message: str) -> None:
        self.remove_message(message)

    def claim(self) -> None:
        self._token = uuid.uuid4().hex
        self._database.run(self._take)

    def write_note(self, text: str) -> None:
        self._note = text

        def write(connection: Connection) -> None:
            with connection.transaction():
                connection.execute(
                    "UPDATE evograft.claims SET note = %s, written = now() WHERE run = %s AND token = %s",
                    (text, self._run, self._token),
                )
                notify(connection, self._run)

        self._database.run(write)

    def writer(self) -> Writer | None:
        found = self._ask(_HOLDER, self._lock)
        if not found:
            return None
        _, _, process, host, since, note = found[0]
        return Writer(process=process, host="" if host == socket.gethostname() else host, since=since, note=note)

    def last_written(self) -> float:
        found = self._database.run(lambda connection: connection.execute(_LAST_WRITTEN, {"run": self._run}).fetchone())
        return float(found[0]) if found else 0.0

    def wait(self, seconds: float) -> None:
        def listen(connection: Connection) -> None:
            connection.execute(f'LISTEN "{channel_of(self._run)}"'.encode())
            for _ in connection.notifies(timeout=seconds, stop_after=1):
                return

        self._database.run(listen)

    def close(self) -> None:
        self._database.close()

    def _ask(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        given = (self._run, *arguments)
        return self._database.run(
            lambda connection: connection.cursor(binary=True).execute(query.encode(), given).fetchall()
        )

    def _prepare(self, connection: Connection) -> None:
        require_layout(connection, self._name)
        if self._token:
            self._take(connection)

    def _take(self, connection: Connection) -> None:
        """Take the lock of the run, or say who has it."""
        end = time.monotonic() + GRACE
        while not _try_lock(connection, self._lock):
            holder = connection.execute(_HOLDER, (self._run, self._lock)).fetchone()
            if holder is not None and holder[0] == self._token:
                # A connection of this very process that it has lost and the server has not, yet.
                connection.execute("SELECT pg_terminate_backend(%s::int, 1000)", (holder[1],))
            elif holder is not None or time.monotonic() > end:
                raise UserError(
                    f"run {self._name} is being written by {describe_claim(connection, self._run)}: stop that one "
                    f"first, with: evo stop {self._word}"
                )
            else:
                time.sleep(0.05)  # it has the lock, and is about to say who it is
        process, host = os.getpid(), socket.gethostname()
        connection.execute(_CLAIM, (self._run, self._token, process, host, self._since, self._note))


def _try_lock(connection: Connection, lock: int) -> bool:
    found = connection.execute("SELECT pg_try_advisory_lock(%s::bigint)", (lock,)).fetchone()
    return bool(found and found[0])


def lock_of(run: str) -> int:
    """Return the number of the lock that the process which works on a run holds."""
    # Positive, so that its halves are what the table of locks shows.
    return int.from_bytes(hashlib.sha256(f"evograft run {run}".encode()).digest()[:8]) >> 1


def channel_of(run: str) -> str:
    """Return the channel on which changes of a run are announced."""
    return f"evograft_{hashlib.sha256(run.encode()).hexdigest()[:32]}"


def notify(connection: Connection, run: str) -> None:
    """Wake whoever waits for a change of a run."""
    connection.execute("SELECT pg_notify(%s, '')", (channel_of(run),))


def describe_claim(connection: Connection, run: str) -> str:
    """Return who claimed a run last, for people; this process is not what they look for."""
    query = "SELECT process, host, since FROM evograft.claims WHERE run = %s"
    found = connection.execute(query, (run,)).fetchone()
    if found is None or found[:2] == (os.getpid(), socket.gethostname()):
        return "another process"
    return f"process {found[0]} on host {found[1]} since {found[2].astimezone(UTC):%Y-%m-%d %H:%M} UTC"

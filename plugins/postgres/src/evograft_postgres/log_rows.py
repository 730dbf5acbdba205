"""Rows of a log in PostgreSQL, read some at a time."""

from __future__ import annotations

import shlex
import zlib
from collections.abc import Iterator
from typing import Any

from evograft.api import GENESIS, LogDamaged, first_line_of, hash_row, row_of
from evograft_hookspecs.drivers.store import Row, RowKind
from evograft_postgres.database import Database

_PAGE = 500
"""Rows that are fetched at a time."""


class LogRows:
    """The rows of one run.

    Args:
        database: holds them.
        run: the id of the run.
        name: of the run, for people.
    """

    def __init__(self, database: Database, run: str, name: str) -> None:
        self._database = database
        self._run = run
        self._name = name

    @property
    def advice(self) -> str:
        """What to do about a log that is damaged."""
        return f"save what is readable with: evo export {shlex.quote(self._name)}"

    def keys(self, kind: RowKind) -> Iterator[tuple[int, str]]:
        """Yield place and key of all rows of a kind."""
        for seq, key in self._pages("seq, key", kind=kind):
            yield seq, key.decode()

    def heads(self, kind: RowKind) -> Iterator[Row]:
        """Yield all rows of a kind with only the first lines of their bodies."""
        for seq, key, body, rest in self._pages("seq, key, body, rest", kind=kind):
            line = first_line_of(body.decode(), rest)
            yield Row.model_construct(seq=seq, kind=kind, key=key.decode(), body=line)

    def get(self, seq: int) -> Row:
        """Return the row at a place; KeyError if there is none."""
        found = self._one("SELECT kind, key, body, rest FROM evograft.rows WHERE run = %s AND seq = %s", seq)
        if found is None:
            raise KeyError(seq)
        return self._row(seq, *found)

    def checked(self, *, after: int = -1) -> Iterator[tuple[Row, bytes]]:
        """Yield rows with their hashes, checked against the chain.

        Raises:
            LogDamaged: at the first row that was changed, or where one is missing.
        """
        expected, digest = after + 1, self._hash_at(after)
        for seq, kind, key, body, rest, found in self._pages("seq, kind, key, body, rest, hash", after=after):
            row = self._row(seq, kind, key, body, rest)
            if seq != expected:
                raise LogDamaged(f"{self._name}: row {expected} is missing; {self.advice}", seq=seq - 1)
            if digest is not None and hash_row(digest, row) != found:
                raise LogDamaged(f"{self._name}: row {seq} was changed after it was written; {self.advice}", seq=seq)
            digest = found
            yield row, found
            expected += 1

    def _pages(self, columns: str, *, kind: RowKind | None = None, after: int = -1) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that are there now, some at a time, so that others are written and read in between."""
        last = self._one("SELECT coalesce(max(seq), -1) FROM evograft.rows WHERE run = %s AND seq > %s", -1)
        query = (
            f"SELECT {columns} FROM evograft.rows WHERE run = %s AND seq > %s AND seq <= %s"  # noqa: S608 - our own columns
            f"{' AND kind = %s' if kind else ''} ORDER BY seq LIMIT {_PAGE}"
        ).encode()
        end = last[0] if last else -1
        while after < end:
            given = (self._run, after, end, *([kind] if kind else []))
            found = self._database.run(
                lambda connection, given=given: connection.cursor(binary=True).execute(query, given).fetchall()  # type: ignore[misc]
            )
            yield from found
            after = found[-1][0] if len(found) == _PAGE else end

    def _one(self, query: str, seq: int) -> tuple[Any, ...] | None:
        return self._database.run(
            lambda connection: connection.cursor(binary=True).execute(query.encode(), (self._run, seq)).fetchone()
        )

    def _hash_at(self, seq: int) -> bytes | None:
        """Return what the next row is chained to; `None` where the row is lost."""
        if seq < 0:
            return GENESIS
        found = self._one("SELECT hash FROM evograft.rows WHERE run = %s AND seq = %s", seq)
        return found[0] if found else None

    def _row(self, seq: int, kind: RowKind, key: bytes, body: bytes, rest: bytes | None) -> Row:
        try:
            return row_of(seq, kind, key.decode(), body.decode(), rest)
        except (zlib.error, ValueError) as err:
            raise LogDamaged(
                f"{self._name}: row {seq} was changed after it was written; {self.advice}", seq=seq
            ) from err

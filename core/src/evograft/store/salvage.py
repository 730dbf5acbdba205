"""Rows of a damaged log: by SQLite as far as it finds them, else from the pages of the file, whatever lies between."""

from __future__ import annotations

import contextlib
import sqlite3
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evograft.errors import LogDamaged
from evograft.store.hash_chain import GENESIS, Head, hash_row
from evograft.store.log_folder import open_database, open_reader
from evograft_hookspecs.drivers.store import Row

_LEAF = 13
"""The type of a page that holds rows of a table."""
_FILE_HEADER = 100
_PAGE_SIZES = tuple(2**power for power in range(9, 17))
_USUAL_SIZE = 4096
_HASH_SIZE = 32
_SELECT = "SELECT seq, CAST(kind AS BLOB), CAST(key AS BLOB), CAST(body AS BLOB), rest, hash FROM rows WHERE seq = ?"
_SELECT_OLD = _SELECT.replace(" rest,", " NULL,")


class Stored(NamedTuple):
    """A row as it lies in the file: texts in UTF-8, as far as they are sound."""

    seq: int
    kind: bytes
    key: bytes
    body: bytes
    rest: bytes | None
    hash: bytes


class SalvagedLog:
    """The rows of a log that may be damaged, as far as they can be read.

    Args:
        path: the log.
        db: a connection to it, which may fail at any statement.
        head: names the last row that is known to have been written.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, head: Head) -> None:
        self._path = path
        self._db = db
        self._head = head

    def rows(self) -> Iterator[Row | LogDamaged]:
        """Yield each row, and for each that cannot be read what is wrong with it."""
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
            row = _row_of(stored)
            digests = {hash_row(digest, row) for digest in before} if row else set()
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


def open_damaged(path: Path) -> sqlite3.Connection:
    """Open a log that may be damaged, for reading."""
    try:
        db = open_reader(path)
    except sqlite3.DatabaseError:
        db = open_database(path, "mode=ro")
    with contextlib.suppress(sqlite3.DatabaseError):
        # So that SQLite reads a file that was cut as far as there are pages.
        db.execute("PRAGMA writable_schema=ON")
    return db


def stored_rows(path: Path, db: sqlite3.Connection, *, last: int) -> Iterator[tuple[int, Stored | None]]:
    """Yield every place up to the last row known, with what is there; `None`: nothing that can be read.

    Args:
        path: the log.
        db: a connection to it, which may fail at any statement.
        last: the last row that is known to have been written, -1 if none is.
    """
    in_pages: dict[int, Stored] | None = None
    statement, room = _statement(db), _room(path)
    # A number of a row that is damaged may be any: one that the log has no room for says nothing.
    for seq in range(max(last if last < room else -1, _last(path, db, room)) + 1):
        found = _selected(db, seq, statement)
        if found is None:
            in_pages = dict(_rows_in_pages(path)) if in_pages is None else in_pages
            found = in_pages.get(seq)
        yield seq, found


def schema_version(path: Path) -> int:
    """Return what the file's header says, which needs no more of it to be sound; 0 where there is none."""
    with path.open("rb") as file:
        header = file.read(_FILE_HEADER)
    return int.from_bytes(header[60:64]) if len(header) == _FILE_HEADER else 0


def _row_of(stored: Stored) -> Row | None:
    try:
        rest = b"" if stored.rest is None else zlib.decompress(stored.rest)
        kind, key, body = (text.decode() for text in (stored.kind, stored.key, stored.body + rest))
    except (zlib.error, UnicodeDecodeError):
        return None
    return Row.model_construct(seq=stored.seq, kind=kind, key=key, body=body)  # type: ignore[arg-type]


def _statement(db: sqlite3.Connection) -> str:
    try:
        names = [name for _, name, *_ in db.execute("PRAGMA table_info(rows)")]
    except sqlite3.DatabaseError:
        names = []
    return _SELECT if "rest" in names else _SELECT_OLD


def _room(path: Path) -> int:
    """Return more rows than the log can hold, whatever they are, including those in the write-ahead log."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists()) // _HASH_SIZE


def _last(path: Path, db: sqlite3.Connection, room: int) -> int:
    try:
        (last,) = db.execute("SELECT max(seq) FROM rows WHERE seq < ?", (room,)).fetchone()
    except sqlite3.DatabaseError:
        last = max((seq for seq, _ in _rows_in_pages(path) if seq < room), default=-1)
    return -1 if last is None else int(last)


def _selected(db: sqlite3.Connection, seq: int, statement: str) -> Stored | None:
    try:
        found = db.execute(statement, (seq,)).fetchone()
    except sqlite3.DatabaseError:
        return None
    if found is None or not _is_row(found[1:]):
        return None
    return Stored(*found)


def _is_row(columns: tuple[object, ...]) -> bool:
    *texts, rest, digest = columns
    is_text = all(isinstance(text, bytes) for text in texts)
    return is_text and isinstance(rest, bytes | None) and isinstance(digest, bytes) and len(digest) == _HASH_SIZE


def _rows_in_pages(path: Path) -> Iterator[tuple[int, Stored]]:
    """Yield the rows in all pages that look like those of a table, also where nothing leads to them any more."""
    data = path.read_bytes()
    size = int.from_bytes(data[16:18]) or _USUAL_SIZE
    pages = Pages(data, (1 << 16 if size == 1 else size) if size in (1, *_PAGE_SIZES) else _USUAL_SIZE)
    for start in range(0, len(data), pages.size):
        yield from pages.rows(start)


class Pages:
    """The pages of a file, as https://www.sqlite.org/fileformat2.html describes them."""

    def __init__(self, data: bytes, size: int) -> None:
        self.size = size
        self._data = data

    def rows(self, start: int) -> Iterator[tuple[int, Stored]]:
        """Yield the rows in the page at a place, those that make no sense left out."""
        header = start or _FILE_HEADER
        if self._data[header : header + 1] != bytes([_LEAF]):
            return
        count = int.from_bytes(self._data[header + 3 : header + 5])
        for place in range(header + 8, header + 8 + 2 * min(count, self.size // 2), 2):
            try:
                row = self._row(start + int.from_bytes(self._data[place : place + 2]))
            except (IndexError, ValueError, struct.error):
                continue
            if row is not None:
                yield row.seq, row

    def _row(self, place: int) -> Stored | None:
        length, place = self._number(self._data, place)
        seq, place = self._number(self._data, place)
        columns = self._columns(self._payload(place, length))
        if len(columns) == 5:  # noqa: PLR2004 - before version 3, rows had no rest
            columns.insert(4, None)
        # The first one stands for the row's number, and is empty.
        if len(columns) != 6 or not _is_row(tuple(columns[1:])):  # noqa: PLR2004 - as many as the table has
            return None
        return Stored(seq, *columns[1:])  # type: ignore[arg-type]  # `_is_row` says so

    def _payload(self, place: int, length: int) -> bytes:
        """Return the bytes of a row; what has no room in its page continues in others."""
        if length > len(self._data):
            raise ValueError("longer than the file")
        local = self._local(length)
        payload = bytearray(self._data[place : place + local])
        (following,) = struct.unpack_from(">I", self._data, place + local) if local < length else (0,)
        while len(payload) < length:
            if following == 0:
                raise ValueError("the rest of the row is missing")
            start = (following - 1) * self.size
            (following,) = struct.unpack_from(">I", self._data, start)
            payload += self._data[start + 4 : start + self.size][: length - len(payload)]
        return bytes(payload)

    def _local(self, length: int) -> int:
        most, least = self.size - 35, (self.size - 12) * 32 // 255 - 23
        if length <= most:
            return length
        local = least + (length - least) % (self.size - 4)
        return local if local <= most else least

    def _columns(self, record: bytes) -> list[bytes | None]:
        """Return the columns of a record that are texts, blobs or empty; all others are taken for empty."""
        end, place = self._number(record, 0)
        value, columns = end, list[bytes | None]()
        while place < end:
            kind, place = self._number(record, place)
            size = (kind - 12) // 2 if kind >= 12 else (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[kind]  # noqa: PLR2004
            columns.append(record[value : value + size] if kind >= 12 else None)  # noqa: PLR2004
            value += size
        if value != len(record):
            raise ValueError("not a record")
        return columns

    @staticmethod
    def _number(data: bytes, place: int) -> tuple[int, int]:
        """Return a number of one to nine bytes, and the place behind it."""
        number = 0
        for count in range(8):
            byte = data[place + count]
            number = number << 7 | byte & 0x7F
            if byte < 0x80:  # noqa: PLR2004 - the last one has its highest bit unset
                return number, place + count + 1
        return number << 8 | data[place + 8], place + 9

"""Rows as a log stores them: each under a hash that covers its text and the hash of the row before.

Long texts are compressed. Hashes are of the texts, so that how they are compressed is not part of what was written.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from evograft.errors import LogDamaged
from evograft_hookspecs.drivers.store import NewRow, Row, RowKind

SCHEMA_VERSION = 3
"""What rows look like, whichever store keeps them; earlier versions had fewer facts in the first line of a trial."""
PACKED = 512
"""Texts with more bytes are compressed."""
GENESIS = b"\0" * 32
"""What the first row is chained to."""

_HEAD = struct.Struct(">q32s")


class Head:
    """The place and hash of the last row, written after it: 40 bytes, overwritten in place."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        flags = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
        self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o644) if writable or path.exists() else None
        self._path = path

    def require_in_place(self) -> None:
        """Refuse to write on into files that have lost their names: the system keeps them until they are closed.

        Raises:
            LogDamaged: the folder was moved or removed, or another one is in its place.
        """
        if self._descriptor is None:
            return
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), os.fstat(self._descriptor)):
                return
        raise LogDamaged(
            f"{str(self._path.parent)!r} was moved or removed while the run was at work: no more is written; resume it "
            "where it is now, or start another run"
        )

    def read(self) -> tuple[int, bytes]:
        """Return the place and hash of the last row; place -1 if none was noted."""
        data = os.pread(self._descriptor, _HEAD.size, 0) if self._descriptor is not None else b""
        if len(data) < _HEAD.size:
            return -1, GENESIS
        seq, digest = _HEAD.unpack(data)
        return seq, digest

    def write(self, seq: int, digest: bytes) -> None:
        """Note the place and hash of the last row."""
        if self._descriptor is not None:
            os.pwrite(self._descriptor, _HEAD.pack(seq, digest), 0)

    def close(self) -> None:
        """Close the file; what is written later is not noted."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def chain_rows(seq: int, digest: bytes, rows: Iterable[NewRow]) -> tuple[list[tuple[Any, ...]], bytes]:
    """Return the rows as they are stored from a place on, and the hash of the last."""
    values = []
    for row in rows:
        digest = hash_row(digest, Row.model_construct(seq=seq, kind=row.kind, key=row.key, body=row.body))
        values.append((seq, row.kind, row.key, *_packed(row.body), digest))
        seq += 1
    return values, digest


def hash_row(previous: bytes, row: Row) -> bytes:
    """Return the hash of a row that follows the row with a given hash."""
    text = f"{row.seq}\n{row.kind}\n{len(row.key)}\n{row.key}\n{row.body}"
    return hashlib.sha256(previous + text.encode()).digest()


def unpack_text(packed: bytes) -> str:
    """Return a text that was compressed."""
    return zlib.decompress(packed).decode()


def row_of(seq: int, kind: RowKind, key: str, body: str, rest: bytes | None) -> Row:
    """Return a row as it was before it was stored.

    Raises:
        ValueError: the rest is not what was stored.
        zlib.error: likewise.
    """
    text = body if rest is None else body + unpack_text(rest)
    return Row.model_construct(seq=seq, kind=kind, key=key, body=text)


def first_line_of(body: str, rest: bytes | None) -> str:
    """Return the first line of a stored text, unpacked only where that is needed."""
    return (body if body or rest is None else unpack_text(rest)).partition("\n")[0]


def _packed(text: str) -> tuple[str, bytes | None]:
    """Split a text into its first line, as it is for a quick look, and the rest, compressed where it is long."""
    head, end, tail = text.partition("\n")
    if len(tail) > PACKED:
        return head + end, zlib.compress(tail.encode())
    return ("", zlib.compress(text.encode())) if len(text) > PACKED else (text, None)

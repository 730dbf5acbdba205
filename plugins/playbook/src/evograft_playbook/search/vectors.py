"""Vectors of texts in a file next to the playbook. It may be deleted at any time: what is missing is made again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

_TABLE = """CREATE TABLE vectors (
    model TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID"""
_SPARE = 1000
"""Vectors of texts that are gone, and may come back, that are kept however few there are of the others."""


def get_vectors_path(playbook: Path) -> Path:
    """Return where the vectors of a playbook are."""
    return playbook.with_name(f"{playbook.name}.vectors")


class VectorFile:
    """A file of vectors, by the hash of their text; any number of processes share it.

    Args:
        path: the file, which is made.
        model: what makes the vectors: those of another are not seen.

    Raises:
        sqlite3.Error: the file can't be made or read.
    """

    def __init__(self, path: Path, model: str) -> None:
        self._model = model
        self._db = sqlite3.connect(path, isolation_level=None, timeout=10.0, check_same_thread=False)
        try:
            self._make_table()
            self._db.execute("PRAGMA journal_mode=WAL")
            # What a power failure takes is made again.
            self._db.execute("PRAGMA synchronous=OFF")
        except BaseException:
            self._db.close()
            raise

    def _make_table(self) -> None:
        """Make the table, but only in an empty file: any other may be another program's, or made to do harm."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            made = [sql for (sql,) in self._db.execute("SELECT sql FROM sqlite_master")]
            if not made:
                self._db.execute(_TABLE)
            elif made != [_TABLE]:
                raise sqlite3.DatabaseError("it is no file of vectors")

    def read(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors that are there."""
        by_digest = {_digest(text): text for text in texts}
        if not by_digest:
            return {}
        # All rows in one go: nearly all are wanted where any are, and asking for each takes five times as long.
        rows = self._db.execute("SELECT digest, vector FROM vectors WHERE model = ?", (self._model,))
        wanted = ((by_digest.get(digest), vector) for digest, vector in rows)
        return {text: np.frombuffer(vector, "<f4") for text, vector in wanted if text and _is_vector(vector)}

    def write(self, vectors: Mapping[str, Vector]) -> None:
        """Add vectors."""
        rows = [(self._model, _digest(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        self._change("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def forget_others(self, texts: Collection[str]) -> None:
        """Delete the vectors of all other texts, once they are more than those of these."""
        kept = {digest for (digest,) in self._db.execute("SELECT digest FROM vectors WHERE model = ?", (self._model,))}
        others = kept - {_digest(text) for text in texts}
        if len(others) > max(len(texts), _SPARE):
            rows = [(self._model, digest) for digest in others]
            self._change("DELETE FROM vectors WHERE model = ? AND digest = ?", rows)

    def _change(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(statement, rows)

    def close(self) -> None:
        self._db.close()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _is_vector(value: object) -> bool:
    """Return whether a value is a vector: the file may have been anybody's."""
    return isinstance(value, bytes) and len(value) > 0 and len(value) % 4 == 0

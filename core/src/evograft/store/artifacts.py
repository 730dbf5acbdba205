"""The large texts of a log, in a database next to its rows: by content hash, equal ones once, compressed."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import zlib

from evograft.errors import LogDamaged
from evograft.store.log_folder import LogFolder


class ArtifactDatabase:
    """Keeps large texts, and finds them again by their hashes. It is opened when the first one is asked for.

    Args:
        folder: holds the log.
        turn: what the threads that use the log take in turn.
    """

    def __init__(self, folder: LogFolder, turn: threading.RLock) -> None:
        self._folder = folder
        self._path = folder.path / "artifacts.sqlite"
        self._turn = turn
        self._db: sqlite3.Connection | None = None

    def put(self, text: str) -> str:
        """Keep a text, and return its hash."""
        encoded = text.encode()
        digest = hashlib.sha256(encoded).hexdigest()
        with self._turn, self._folder.explained_errors():
            self._connected().execute("INSERT OR IGNORE INTO artifacts VALUES (?, ?)", (digest, zlib.compress(encoded)))
        return digest

    def get(self, digest: str) -> str:
        """Return the text with a hash.

        Raises:
            LogDamaged: it is lost, or was changed.
        """
        row = None
        if self._path.exists():
            with self._turn, self._folder.explained_errors():
                row = self._connected().execute("SELECT text FROM artifacts WHERE hash = ?", (digest,)).fetchone()
        text = _text_of(row[0], digest) if row is not None else None
        if text is None:
            advice = self._folder.advice
            raise LogDamaged(f"{self._path} lacks a program that the log names, or holds it changed; {advice}")
        return text.decode()

    def close(self) -> None:
        """Close the database, if it was opened."""
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):  # a disk that is full cannot be tidied up either
                self._db.close()

    def _connected(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._folder.connect(self._path)
            if self._folder.writable:
                self._db.execute("CREATE TABLE IF NOT EXISTS artifacts (hash TEXT PRIMARY KEY, text BLOB)")
        return self._db


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

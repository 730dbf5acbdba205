"""What was compiled and what was run already: an SQLite file in the workspace, which a kill leaves whole."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace

PATIENCE = 60.0
KEPT_PROGRAMS = 1000
"""Programs take far more room than outcomes, and are made again in seconds."""
MEGABYTE = 1_000_000
Printed = Literal["outputs", "errors"]
"""Tables of what programs have printed: on standard output, on standard error."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS programs(number INTEGER PRIMARY KEY, key TEXT UNIQUE, content BLOB, diagnostics TEXT);
CREATE TABLE IF NOT EXISTS outcomes(key TEXT PRIMARY KEY, outcome TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outputs(number INTEGER PRIMARY KEY, key TEXT UNIQUE, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS errors(number INTEGER PRIMARY KEY, key TEXT UNIQUE, content BLOB NOT NULL);
"""


def key_of(*parts: bytes | str) -> str:
    """Return a hash of all parts, of which none can run into the next."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()


class JudgingCache:
    """Programs and outcomes by their keys, for any number of threads and processes.

    Args:
        workspace: whose folder holds the file.
        settings: which outputs are kept.
    """

    def __init__(self, workspace: Workspace, settings: JudgeSettings) -> None:
        self._longest_output = settings.kept_output_mb * MEGABYTE
        self._kept_outputs = settings.kept_outputs
        self._file = workspace.folder / ".cache" / "judging.sqlite"
        self._using = threading.Lock()
        with self._explained():
            self._connection = _opened(self._file)

    def find_program(self, key: str) -> tuple[bytes | None, str] | None:
        """Return the content of a program, or `None` with the diagnostics; `None` if it was never compiled."""
        row = self._first("SELECT content, diagnostics FROM programs WHERE key = ?", key)
        return None if row is None else (row[0], row[1])

    def put_program(self, key: str, content: bytes | None, *, diagnostics: str = "") -> None:
        self._write(
            "INSERT OR IGNORE INTO programs(key, content, diagnostics) VALUES (?, ?, ?)", key, content, diagnostics
        )
        self._write("DELETE FROM programs WHERE number <= (SELECT max(number) FROM programs) - ?", KEPT_PROGRAMS)

    def find_outcome(self, key: str) -> CaseOutcome | None:
        row = self._first("SELECT outcome FROM outcomes WHERE key = ?", key)
        outcome = None if row is None else CaseOutcome.model_validate_json(row[0])
        return None if outcome is not None and _lacks_parts(outcome) else outcome

    def put_outcome(self, key: str, outcome: CaseOutcome) -> None:
        self._write("INSERT OR REPLACE INTO outcomes VALUES (?, ?)", key, outcome.model_dump_json())

    def find_output(self, key: str) -> bytes | None:
        """Return what was printed when the outcome of this key came about; `None`: it is not kept, or not any more."""
        return self._find_printed("outputs", key)

    def put_output(self, key: str, content: bytes) -> None:
        self._put_printed("outputs", key, content)

    def find_stderr(self, key: str) -> bytes | None:
        """Return what went to standard error when the outcome of this key came about; `None`: it is not kept."""
        return self._find_printed("errors", key)

    def put_stderr(self, key: str, content: bytes) -> None:
        self._put_printed("errors", key, content)

    def close(self) -> None:
        with self._using:
            self._connection.close()

    def _find_printed(self, table: Printed, key: str) -> bytes | None:
        row = self._first(f"SELECT content FROM {table} WHERE key = ?", key)  # noqa: S608 - ours
        return None if row is None else zlib.decompress(row[0])

    def _put_printed(self, table: Printed, key: str, content: bytes) -> None:
        if len(content) > self._longest_output:
            return
        packed = zlib.compress(content, 1)
        self._write(f"INSERT OR REPLACE INTO {table}(key, content) VALUES (?, ?)", key, packed)  # noqa: S608 - ours
        last = f"(SELECT max(number) FROM {table})"  # noqa: S608 - ours
        self._write(f"DELETE FROM {table} WHERE number <= {last} - ?", self._kept_outputs)  # noqa: S608 - ours

    def _first(self, query: str, *values: object) -> tuple[Any, ...] | None:
        with self._using, self._explained():
            row: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
            return row

    def _write(self, statement: str, *values: object) -> None:
        """Written when it returns: a process that is killed afterwards finds it again."""
        with self._using, self._explained():
            self._connection.execute(statement, values)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.DatabaseError) as err:
            raise ContestServiceError(
                f"the cache of cases {str(self._file)!r} cannot be used: {err}; delete it, or mend what is wrong there",
                ja=f"ケースのキャッシュ {str(self._file)!r} が使えません: {err}。削除するか、原因を取り除いてください",
            ) from err


def _lacks_parts(outcome: CaseOutcome) -> bool:
    """Return whether an earlier version kept the outcome with an English message only: then the case is run again."""
    return bool(outcome.message) and not outcome.parts and outcome.kind != "wrong_answer"


def _opened(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(exist_ok=True)
    (file.parent / ".gitignore").write_text("*\n", encoding="utf-8")
    connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    # A kill loses nothing; a power cut may lose what can be run again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.executescript(SCHEMA)
    return connection

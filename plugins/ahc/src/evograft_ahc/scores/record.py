"""The record of scores: an SQLite file in the workspace, which no cleaning of caches takes along."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager

from evograft_ahc.scores.run import Revision, ScoredRun
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace

FILE = "scores.sqlite"
PATIENCE = 30.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs(
    key TEXT PRIMARY KEY, source TEXT NOT NULL, name TEXT NOT NULL, at REAL NOT NULL, program TEXT NOT NULL,
    comment TEXT NOT NULL, commit_id TEXT NOT NULL, tag TEXT NOT NULL, slowest REAL, is_pruned INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS scores(
    run TEXT NOT NULL, case_name TEXT NOT NULL, score REAL, PRIMARY KEY(run, case_name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, stamp INTEGER NOT NULL) WITHOUT ROWID;
"""


class ScoreRecord:
    """All runs of a workspace.

    Args:
        connection: of its file.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, *runs: ScoredRun) -> None:
        """Record runs, each in place of the one that had its key."""
        with self._connection:
            for run in runs:
                self._connection.execute("DELETE FROM scores WHERE run = ?", (run.key,))
                row = (run.key, run.source, run.name, run.at, run.program, run.comment)
                said = (run.revision.commit, run.revision.tag, run.slowest, run.is_pruned)
                self._connection.execute(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, *said)
                )
                cases = [(run.key, case, score) for case, score in run.scores.items()]
                self._connection.executemany("INSERT INTO scores VALUES (?, ?, ?)", cases)

    def runs(self) -> tuple[ScoredRun, ...]:
        """Return all runs, the newest last."""
        scores: dict[str, dict[str, float | None]] = defaultdict(dict)
        for run, case, score in self._connection.execute("SELECT run, case_name, score FROM scores ORDER BY case_name"):
            scores[run][case] = score
        query = """SELECT key, source, name, at, program, comment, commit_id, tag, slowest, is_pruned
                   FROM runs ORDER BY at, key"""
        return tuple(
            ScoredRun(
                *(key, source, name, at, scores[key], program, comment),
                revision=Revision(commit, tag),
                slowest=slowest,
                is_pruned=bool(is_pruned),
            )
            for key, source, name, at, program, comment, commit, tag, slowest, is_pruned in self._connection.execute(
                query
            )
        )

    def find_stamp(self, session: str) -> int | None:
        """Return the stamp that a session had when its runs were recorded."""
        row = self._connection.execute("SELECT stamp FROM sessions WHERE id = ?", (session,)).fetchone()
        return None if row is None else int(row[0])

    def put_stamp(self, session: str, stamp: int) -> None:
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?)", (session, stamp))


@contextmanager
def open_score_record(workspace: Workspace) -> Iterator[ScoreRecord]:
    """Open the record of a workspace, which is made if it does not exist.

    Raises:
        ContestServiceError: the file cannot be used.
    """
    file = workspace.folder / FILE
    try:
        with closing(sqlite3.connect(file, timeout=PATIENCE)) as connection:
            connection.executescript(SCHEMA)
            yield ScoreRecord(connection)
    except (OSError, sqlite3.DatabaseError) as err:
        raise ContestServiceError(
            f"the record of scores {str(file)!r} cannot be used: {err}; delete it, or mend what is wrong there",
            ja=f"得点の記録 {str(file)!r} が使えません: {err}。削除するか、原因を取り除いてください",
        ) from err

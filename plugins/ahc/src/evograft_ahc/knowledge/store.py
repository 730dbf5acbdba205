"""The knowledge base: one SQLite file of the user's for all workspaces, with a search in texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from evograft_ahc.knowledge.lesson import Kind, Lesson, ModelUse, SessionLessons
from evograft_ahc.settings.model import get_user_folder
from evograft_ahc.text.messages import ContestServiceError

PATIENCE = 30.0
# The trigram tokenizer finds substrings, which is what words are in Japanese and names in code.
SCHEMA = """
CREATE TABLE IF NOT EXISTS lessons(
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, contest_id TEXT NOT NULL, session TEXT NOT NULL,
    kind TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, gain REAL NOT NULL);
CREATE INDEX IF NOT EXISTS lessons_of_contest ON lessons(contest_id, gain);
CREATE TABLE IF NOT EXISTS models(
    session_id TEXT NOT NULL, contest_id TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, dollars REAL, improved INTEGER NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS lesson_text USING fts5(text, tokenize = 'trigram');
"""
SHORTEST_WORD = 3
"""Characters: the index knows no shorter ones."""
COLUMNS = "contest_id, session, kind, title, text, gain"


class KnowledgeBase:
    """Lessons of sessions; those of one session come and go together.

    Args:
        connection: of its file.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, found: SessionLessons) -> None:
        """Store what a session has shown, in place of what it had shown before it was resumed."""
        with self._connection:
            self._forget(found.session_id)
            for lesson in found.lessons:
                self._put_lesson(found.session_id, lesson)
            rows = [(found.session_id, found.contest_id, *use.model_dump().values()) for use in found.models]
            self._connection.executemany("INSERT INTO models VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def search(self, words: str, *, contest_id: str = "", kind: Kind | None = None, most: int = 20) -> list[Lesson]:
        """Return lessons that hold every word, those that gained most first.

        Args:
            words: none: all lessons.
            contest_id: of one contest only.
            kind: of one kind only.
            most: so many at most.
        """
        conditions = ["(? = '' OR contest_id = ?)", "(? IS NULL OR kind = ?)"]
        values: list[object] = [contest_id, contest_id, kind, kind]
        for word in words.split():
            condition, value = _containing(word)
            conditions.append(condition)
            values.append(value)
        where, order = " AND ".join(conditions), "ORDER BY gain DESC, id DESC LIMIT ?"
        query = f"SELECT {COLUMNS} FROM lessons WHERE {where} {order}"  # noqa: S608 - conditions are ours
        rows = self._connection.execute(query, [*values, most])
        return [Lesson(**dict(zip(COLUMNS.split(", "), row, strict=True))) for row in rows]

    def models(self) -> list[ModelUse]:
        """Return what all sessions asked of each model, the one that was asked most first."""
        query = """
            SELECT model, sum(calls), sum(prompt_tokens), sum(completion_tokens),
                   CASE WHEN count(dollars) = count(*) THEN sum(dollars) END, sum(improved)
            FROM models GROUP BY model ORDER BY sum(calls) DESC"""
        return [
            ModelUse(**dict(zip(ModelUse.model_fields, row, strict=True))) for row in self._connection.execute(query)
        ]

    def _forget(self, session_id: str) -> None:
        old = "SELECT id FROM lessons WHERE session_id = ?"
        self._connection.execute(f"DELETE FROM lesson_text WHERE rowid IN ({old})", [session_id])  # noqa: S608 - ours
        for table in ("lessons", "models"):
            self._connection.execute(f"DELETE FROM {table} WHERE session_id = ?", [session_id])  # noqa: S608 - ours

    def _put_lesson(self, session_id: str, lesson: Lesson) -> None:
        row = lesson.model_dump()
        insert = f"INSERT INTO lessons(session_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - ours
        number = self._connection.execute(insert, [session_id, *(row[name] for name in COLUMNS.split(", "))]).lastrowid
        text = f"{lesson.title}\n{lesson.text}".casefold()
        self._connection.execute("INSERT INTO lesson_text(rowid, text) VALUES (?, ?)", [number, text])


def get_knowledge_file() -> Path:
    return get_user_folder() / "knowledge.sqlite"


@contextmanager
def open_knowledge_base() -> Iterator[KnowledgeBase]:
    """Open the user's knowledge base, which is made if it does not exist.

    Raises:
        ContestServiceError: the file cannot be used.
    """
    path = get_knowledge_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as connection:
            connection.executescript(SCHEMA)
            yield KnowledgeBase(connection)
    except (OSError, sqlite3.DatabaseError) as err:
        raise ContestServiceError(
            f"the knowledge base {str(path)!r} cannot be used: {err}; delete it, or mend what is wrong there",
            ja=f"知識ベース {str(path)!r} が使えません: {err}。削除するか、原因を取り除いてください",
        ) from err


def _containing(word: str) -> tuple[str, str]:
    """Return a condition, and its value, for lessons that hold a word."""
    plain = word.casefold()
    if len(plain) < SHORTEST_WORD:
        return "id IN (SELECT rowid FROM lesson_text WHERE instr(text, ?))", plain
    quoted = plain.replace('"', '""')
    return "id IN (SELECT rowid FROM lesson_text WHERE lesson_text MATCH ?)", f'"{quoted}"'

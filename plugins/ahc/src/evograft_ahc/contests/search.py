"""Questions about past contests, and their answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pydantic import BaseModel

from evograft.api import did_you_mean
from evograft_ahc.contests.database import connect
from evograft_ahc.contests.past import Contest, load_packaged_contests, load_user_contests
from evograft_ahc.contests.tag_vocabulary import get_canonical_tag
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import suggest_in_japanese

TRIGRAM = 3
"""The shortest text that the index can find."""
NAMES = "contest_id || char(10) || title || char(10) || problem_title || char(10) || keywords"


class ContestQuery(BaseModel):
    """What is asked for; empty parts ask for nothing, and all others must hold."""

    problem: str = ""
    """A part of the id, of a title or of a keyword."""
    tag: str = ""
    """In any of its spellings."""
    algorithm: str = ""
    """A part of the name of an algorithm that an approach used."""
    keyword: str = ""
    """Anywhere in what is known, word by word."""


class ContestDatabase:
    """Answers questions about past contests.

    Args:
        connection: what `connect` opens.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def search(self, query: ContestQuery) -> tuple[Contest, ...]:
        """Return the contests for which every part of the query holds, the newest first."""
        conditions = list(_conditions(query))
        where = " AND ".join(condition for condition, _ in conditions) or "1"
        values = [value for _, value in conditions]
        order = "ORDER BY date DESC, contest_id DESC"
        sql = f"SELECT document FROM contests WHERE {where} {order}"  # noqa: S608 - constants
        return tuple(Contest.model_validate_json(document) for (document,) in self._connection.execute(sql, values))

    def tags(self) -> tuple[str, ...]:
        """Every tag that a contest has."""
        return tuple(tag for (tag,) in self._connection.execute("SELECT DISTINCT tag FROM contest_tags ORDER BY tag"))

    def get(self, contest_id: str) -> Contest:
        sql = "SELECT document FROM contests WHERE contest_id = ?"
        row = self._connection.execute(sql, (contest_id.lower(),)).fetchone()
        if row is None:
            known = [name for (name,) in self._connection.execute("SELECT contest_id FROM contests")]
            raise ContestUserError(
                f"no past contest {contest_id!r}; {did_you_mean(contest_id, known)}",
                ja=f"過去のコンテスト {contest_id!r} はありません; {suggest_in_japanese(contest_id, known)}",
            )
        return Contest.model_validate_json(row[0])


@contextmanager
def open_database(paths: Iterable[Path] = ()) -> Iterator[ContestDatabase]:
    """Open the packaged contests and those of the user's files.

    A later contest replaces an earlier one of the same id.
    """
    contests = {
        contest.contest_id.lower(): contest for contest in (*load_packaged_contests(), *load_user_contests(paths))
    }
    with closing(connect(contests)) as connection:
        yield ContestDatabase(connection)


def _conditions(query: ContestQuery) -> Iterator[tuple[str, str]]:
    if query.problem:
        yield f"instr(folded({NAMES}), ?)", query.problem.casefold()
    if query.tag:
        yield "contest_id IN (SELECT contest_id FROM contest_tags WHERE tag = ?)", get_canonical_tag(query.tag)
    if query.algorithm:
        used = "SELECT contest_id FROM solution_approaches WHERE instr(folded(algorithms_used), ?)"
        yield f"contest_id IN ({used})", query.algorithm.casefold()
    for word in query.keyword.casefold().split():
        yield _holding(word)


def _holding(word: str) -> tuple[str, str]:
    if len(word) < TRIGRAM:
        return "contest_id IN (SELECT contest_id FROM contest_text WHERE instr(text, ?))", word
    quoted = '"' + word.replace('"', '""') + '"'
    return "contest_id IN (SELECT contest_id FROM contest_text WHERE contest_text MATCH ?)", quoted

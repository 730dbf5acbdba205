"""The SQLite file of past contests, in the user's cache: built once for each state of the data it holds."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from evograft.api import ensure_cache_folder
from evograft_ahc.contests.past import Contest
from evograft_ahc.contests.tag_vocabulary import get_canonical_tag, get_spellings, load_vocabulary

# FTS5's trigram tokenizer finds substrings, which is what words are in Japanese. `document` is the contest as it was
# read.
SCHEMA = """
CREATE TABLE contests(
    contest_id TEXT PRIMARY KEY, title TEXT, date TEXT, problem_url TEXT, problem_summary TEXT,
    problem_title TEXT, keywords TEXT, start TEXT, "end" TEXT, duration_minutes INTEGER, format TEXT,
    interactive INTEGER,
    score_direction TEXT, score_kind TEXT, time_limit_seconds REAL, official_editorial_url TEXT, tools_url TEXT,
    sources TEXT, document TEXT NOT NULL);
CREATE TABLE contest_tags(contest_id TEXT REFERENCES contests, tag TEXT);
CREATE TABLE solution_approaches(
    solution_id INTEGER PRIMARY KEY, contest_id TEXT REFERENCES contests, rank_range TEXT, algorithms_used TEXT,
    key_ideas TEXT, reference_url TEXT, estimated_difficulty TEXT);
CREATE VIRTUAL TABLE contest_text USING fts5(contest_id UNINDEXED, text, tokenize = 'trigram');
"""

COLUMNS = (
    *("contest_id", "title", "date", "problem_url", "problem_summary", "problem_title", "keywords"),
    *(
        "start",
        "end",
        "duration_minutes",
        "format",
        "interactive",
        "score_direction",
        "score_kind",
        "time_limit_seconds",
    ),
    *("official_editorial_url", "tools_url", "sources"),
)


def connect(contests: Mapping[str, Contest]) -> sqlite3.Connection:
    """Open the cached database of these contests; if the cache cannot be written to, one in memory."""
    path = _cache_folder() / f"contests-{_digest(contests)}.sqlite"
    try:
        if not _is_whole(path, len(contests)):
            _write(path, contests)
        return _read_only(path)
    except (OSError, sqlite3.OperationalError):
        connection = _with_folding(sqlite3.connect(":memory:"))
        _fill(connection, contests)
        return connection


def _is_whole(path: Path, size: int) -> bool:
    try:
        with closing(_read_only(path)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM contests").fetchone()
    except sqlite3.DatabaseError:
        return False
    return bool(count == size)


def _read_only(path: Path) -> sqlite3.Connection:
    return _with_folding(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


def _with_folding(connection: sqlite3.Connection) -> sqlite3.Connection:
    # SQLite's own lower() knows ASCII only.
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    return connection


def _cache_folder() -> Path:
    return ensure_cache_folder("ahc")


def _digest(contests: Mapping[str, Contest]) -> str:
    documents = [contest.model_dump_json() for _, contest in sorted(contests.items())]
    words = [tag.model_dump_json() for tag in load_vocabulary().values()]
    return hashlib.sha256("\n".join([SCHEMA, *words, *documents]).encode()).hexdigest()[:32]


def _write(path: Path, contests: Mapping[str, Contest]) -> None:
    """Build the file under another name: a process that comes at the same time sees a whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".building")
    os.close(handle)
    building = Path(name)
    try:
        with closing(sqlite3.connect(building)) as connection:
            _fill(connection, contests)
        building.replace(path)
    finally:
        building.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, contests: Mapping[str, Contest]) -> None:
    connection.executescript(SCHEMA)
    for contest_id, contest in sorted(contests.items()):
        _insert(connection, contest.model_copy(update={"contest_id": contest_id}))
    connection.commit()


def _insert(connection: sqlite3.Connection, contest: Contest) -> None:
    row = contest.model_dump(mode="json")
    insert = f"INSERT INTO contests VALUES ({_marks(len(COLUMNS) + 1)})"  # noqa: S608 - marks
    connection.execute(insert, [*(_cell(row[column]) for column in COLUMNS), contest.model_dump_json()])
    tags = [(contest.contest_id, tag) for tag in dict.fromkeys(map(get_canonical_tag, contest.tags))]
    connection.executemany("INSERT INTO contest_tags VALUES (?, ?)", tags)
    insert = f"INSERT INTO solution_approaches VALUES (NULL, {_marks(6)})"  # noqa: S608 - marks
    connection.executemany(insert, _approach_rows(contest))
    connection.execute("INSERT INTO contest_text VALUES (?, ?)", (contest.contest_id, _searchable(contest)))


def _approach_rows(contest: Contest) -> list[tuple[str, ...]]:
    return [
        (
            contest.contest_id,
            approach.rank_range,
            ", ".join(approach.algorithms_used),
            "\n".join(approach.key_ideas),
            "\n".join(approach.reference_urls),
            approach.estimated_difficulty,
        )
        for approach in contest.solution_approaches
    ]


def _searchable(contest: Contest) -> str:
    texts = (
        *(contest.contest_id, contest.title, contest.problem_title, *contest.keywords, contest.problem_summary),
        *(spelling for tag in contest.tags for spelling in (tag, *get_spellings(tag))),
        *(text for each in contest.solution_approaches for text in (*each.algorithms_used, *each.key_ideas)),
    )
    return "\n".join(texts).casefold()


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _marks(count: int) -> str:
    return ", ".join("?" * count)

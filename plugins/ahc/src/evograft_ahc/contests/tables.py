"""Past contests in an SQLite file of the specified tables, which a user brings."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evograft_ahc.contests.past import Contest, SolutionApproach
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import make_invalid_data_error, make_invalid_json_error

MAGIC = b"SQLite format 3\x00"
DOCUMENT = "document"
"""The column of our own file that holds a contest as a whole."""
LISTS = ("keywords",)
OBJECTS = ("sources",)
FIELDS = frozenset(Contest.model_fields) - {"tags", "solution_approaches"}
Row = Mapping[str, Any]


def is_database(file: Path) -> bool:
    """Return whether a file is one of SQLite; what cannot be read is none."""
    try:
        with file.open("rb") as content:
            return content.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_tables(file: Path) -> tuple[Contest, ...]:
    """Read the contests of the tables `contests`, `contest_tags` and `solution_approaches`; only the first must exist.

    Raises:
        ContestUserError: the file is damaged, has no table `contests`, or holds what does not fit.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return tuple(_contests(connection, file))
    except sqlite3.Error as err:
        raise ContestUserError(
            f"cannot read past contests from the SQLite file {str(file)!r}: {err}",
            ja=f"SQLite ファイル {str(file)!r} から過去のコンテストを読めません: {err}",
        ) from err


def _contests(connection: sqlite3.Connection, file: Path) -> Iterator[Contest]:
    tags = _by_contest(_rows(connection, "contest_tags"))
    approaches = _by_contest(_rows(connection, "solution_approaches"))
    for row in map(_plain, connection.execute("SELECT * FROM contests")):
        contest_id = row.get("contest_id")
        try:
            if DOCUMENT in row:
                yield Contest.model_validate_json(_text(row, DOCUMENT, file))
            else:
                objects = {name: _object(row, name, file) for name in OBJECTS if row.get(name) is not None}
                yield _contest({**row, **objects}, tags.get(contest_id, ()), approaches.get(contest_id, ()))
        except ValidationError as err:
            raise make_invalid_data_error(f"{file}: {contest_id}", err) from err


def _contest(row: Row, tags: Iterable[Row], approaches: Iterable[Row]) -> Contest:
    known = {name: value for name, value in row.items() if name in FIELDS and value is not None}
    parsed = {name: _listed(known[name]) for name in LISTS if name in known}
    return Contest(
        **{**known, **parsed},
        tags=tuple(str(each["tag"]) for each in tags if each.get("tag")),
        solution_approaches=tuple(map(_approach, approaches)),
    )


def _object(row: Row, column: str, file: Path) -> object:
    try:
        return json.loads(_text(row, column, file))
    except json.JSONDecodeError as err:
        raise make_invalid_json_error(_cell_of(row, column, file), err) from err


def _text(row: Row, column: str, file: Path) -> str:
    """Return a cell of our own form, which may be of any type in a user's file."""
    cell = row[column]
    if isinstance(cell, str):
        return cell
    place, kind = _cell_of(row, column, file), type(cell).__name__
    raise ContestUserError(
        f"{place}: JSON is needed, and this is {kind}", ja=f"{place} は JSON でなければなりません ({kind} です)"
    )


def _cell_of(row: Row, column: str, file: Path) -> str:
    return f"{file}: table 'contests', column {column!r} of {row.get('contest_id')!r}"


def _approach(row: Row) -> SolutionApproach:
    return SolutionApproach(
        rank_range=str(row.get("rank_range") or ""),
        algorithms_used=_listed(row.get("algorithms_used"), r"[\n,、]"),
        key_ideas=_listed(row.get("key_ideas")),
        reference_urls=_listed(row.get("reference_url"), r"[\s,]"),
        estimated_difficulty=str(row.get("estimated_difficulty") or ""),
    )


def _listed(text: object, separator: str = r"\n") -> tuple[str, ...]:
    """Return the parts of a cell: a list in JSON, or text with separators."""
    whole = str(text or "").strip()
    if whole.startswith("["):
        try:
            return tuple(map(str, json.loads(whole)))
        except json.JSONDecodeError:  # text may begin like that, too
            pass
    return tuple(part.strip() for part in re.split(separator, whole) if part.strip())


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    named = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    return [_plain(row) for row in connection.execute(f"SELECT * FROM {table}")] if named else []  # noqa: S608 - ours


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    return {name: row[name] for name in row.keys()}  # noqa: SIM118 - a row is no mapping


def _by_contest(rows: Iterable[Row]) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get("contest_id"), []).append(row)
    return found

"""A table of the user's: quantities of graphs by the graphs' names."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evograft.api import UserError, did_you_mean

ONLY = ":1"
"""What the name of a file's only graph may leave out."""


@dataclass(frozen=True)
class GraphsTable:
    """The rows of a CSV file."""

    path: Path
    content: bytes
    rows: dict[str, dict[str, str]]
    """By the graph's name, the text of each column."""
    columns: tuple[str, ...]

    def read_numbers(self, column: str, names: Sequence[str]) -> list[float]:
        """Return a quantity of each graph.

        Raises:
            UserError: there is no such column, or a value is missing or no finite number.
        """
        return [
            self._read_number(column, name, text) for name, text in zip(names, self._read(column, names), strict=True)
        ]

    def read_words(self, column: str, names: Sequence[str], allowed: Sequence[str]) -> list[str]:
        """Return a word for each graph.

        Raises:
            UserError: there is no such column, or a word is missing or not allowed.
        """
        words = self._read(column, names)
        for name, word in zip(names, words, strict=True):
            if word not in allowed:
                raise UserError(f"{self.path}: {column} of {name} is {word!r}: write {', '.join(allowed)}")
        return words

    def _read(self, column: str, names: Sequence[str]) -> list[str]:
        if column not in self.columns:
            raise UserError(f"{self.path} has no column {column!r}; {did_you_mean(column, self.columns)}")
        return [self.rows[name][column] for name in names]

    def _read_number(self, column: str, name: str, text: str) -> float:
        try:
            value = float(text or "nan")
        except ValueError as error:
            raise UserError(f"{self.path}: {column} of {name} is {text!r}, which is no number") from error
        if not math.isfinite(value):
            raise UserError(f"{self.path}: {column} of {name} is missing: fill it in, or leave the graph out")
        return value


def read_table(path: Path, names: Sequence[str]) -> GraphsTable:
    """Read a CSV file that has a row for each of the named graphs.

    A file's only graph may go by the name of the file.

    Raises:
        UserError: it cannot be read, or lacks a graph.
    """
    try:
        content = path.read_bytes()
        lines = list(csv.reader(content.decode("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} cannot be read as a table: {error}") from error
    if not lines or len(lines[0]) < 2:  # noqa: PLR2004 - names and one quantity
        raise UserError(f"{path} needs a header with the graphs' names in the first column and a quantity in another")
    head = tuple(each.strip() for each in lines[0])
    twice = [name for name in head if name and head.count(name) > 1]
    if twice:
        raise UserError(f"{path} has several columns {twice[0]!r}: rename or remove one")
    cells = _read_rows(path, head, lines[1:])
    rows = {}
    for name in names:
        found = cells.get(name.removesuffix(ONLY))
        if found is None:
            raise UserError(f"{path} has no row for {name}: add it, or leave the graph out")
        rows[name] = dict.fromkeys(head, "") | found
    return GraphsTable(path, content, rows, head)


def _read_rows(path: Path, head: tuple[str, ...], lines: list[list[str]]) -> dict[str, dict[str, str]]:
    """Return the cells of each graph by its column; a row that could be read in two ways is an error."""
    rows: dict[str, dict[str, str]] = {}
    for line in lines:
        name, *cells = (each.strip() for each in line or [""])
        if not name:
            continue
        if len(line) > len(head):
            raise UserError(
                f"{path}: the row of {name} has {len(line)} cells, and the header has {len(head)}: "
                "put a text with a comma in quotes, or remove a cell"
            )
        if name.removesuffix(ONLY) in rows:
            raise UserError(f"{path} has several rows for {name}: remove all but one")
        rows[name.removesuffix(ONLY)] = dict(zip(head, (name, *cells), strict=False))
    return rows

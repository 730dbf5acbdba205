"""The map as text for a prompt, no longer than is asked for."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable

from evograft_code_explainer.files.shown import clipped, shown, shown_name
from evograft_code_explainer.map.code_map import CodeMap
from evograft_code_explainer.map.entry_points import EntryPoint
from evograft_code_explainer.map.survey import MOST

ROWS = 40
"""Rows of a section."""
WIDEST = 160
"""Characters of a row."""


def map_text(code_map: CodeMap, *, characters: int = 12_000) -> str:
    """Sections in the order of their worth; whole rows are left out where it would get too long."""
    survey = code_map.survey
    total = f"{'more than ' if survey.is_cut else ''}{min(len(survey.sizes), MOST):,} files"
    rows = [
        f"# Map of the code base: {total}, {sum(survey.sizes.values()):,} bytes",
        *_section("Languages and endings", _counted(survey.languages(), "files")),
        *_section("Entry points", [_point(each) for each in code_map.entry_points]),
        *_section("Folders and how many files are below them", _folders(survey.folders())),
        f"## Imports, read from {code_map.parsed:,} of {code_map.sources:,} source files",
        *_section("Most imported files and folders", _counted(code_map.most_imported(), "files import it")),
        *_section("Imports between folders", _counted(_between(code_map), "imports")),
    ]
    return "\n".join(_fitting(rows, characters))


def _section(title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    more = [f"- … {len(rows) - ROWS:,} more"] if len(rows) > ROWS else []
    return [f"## {title}", *(f"- {clipped(row, WIDEST)}" for row in rows[:ROWS]), *more]


def _counted(counter: Counter[str], what: str) -> list[str]:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return [f"{shown_name(name)}: {count:,} {what}" for name, count in ordered]


def _folders(counter: Counter[str]) -> list[str]:
    """The largest, in the order of their names."""
    largest = sorted(counter, key=lambda name: (-counter[name], name))[:ROWS]
    rest = [""] * (len(counter) - len(largest))
    return [f"{shown_name(name)}/: {counter[name]:,}" for name in sorted(largest)] + rest


def _point(point: EntryPoint) -> str:
    place = f"{shown_name(point.path)}:{point.line}" if point.line else shown_name(point.path)
    return f"{place}: {shown(point.text)}"


def _between(code_map: CodeMap) -> Counter[str]:
    pairs = ((posixpath.dirname(one), posixpath.dirname(other)) for one, other in code_map.imports)
    return Counter(f"{one or '.'}/ -> {other or '.'}/" for one, other in pairs if one != other)


def _fitting(rows: Iterable[str], characters: int) -> list[str]:
    kept: list[str] = []
    for row in rows:
        characters -= len(row) + 1
        if characters < 0:
            return [*kept, "…"]
        kept.append(row)
    return kept

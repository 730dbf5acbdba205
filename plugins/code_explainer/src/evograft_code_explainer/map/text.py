"""The map as text for a prompt, no longer than asked for."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable

from evograft.text.i18n import Catalog
from evograft_code_explainer.catalog import load_catalog
from evograft_code_explainer.files.printable import clip_line, escape_name, escape_unprintable
from evograft_code_explainer.map.code_map import CodeMap
from evograft_code_explainer.map.entry_points import EntryPoint
from evograft_code_explainer.map.survey import MOST

ROWS = 40
"""Rows of a section."""
WIDEST = 160
"""Characters of a row."""


def format_map(code_map: CodeMap, *, characters: int = 12_000, language: str = "en") -> str:
    """Write sections in the order of their worth; whole rows are left out where it would get too long."""
    survey, words = code_map.survey, load_catalog(language)
    rows = [
        words(
            "map_title_cut" if survey.is_cut else "map_title",
            files=f"{min(len(survey.sizes), MOST):,}",
            bytes=f"{sum(survey.sizes.values()):,}",
        ),
        *_section(words, "map_languages", _counted(words, survey.languages(), "map_files")),
        *_section(words, "map_entry_points", [_point(each) for each in code_map.entry_points]),
        *_section(words, "map_folders", _folders(survey.folders())),
        words("map_imports", parsed=f"{code_map.parsed:,}", sources=f"{code_map.sources:,}"),
        *_section(words, "map_most_imported", _counted(words, code_map.most_imported(), "map_importing")),
        *_section(words, "map_between", _counted(words, _between(code_map), "map_count")),
    ]
    return "\n".join(_fitting(rows, characters))


def _section(words: Catalog, title: str, rows: list[str]) -> list[str]:
    if not rows:
        return []
    more = [f"- {words('map_more', n=f'{len(rows) - ROWS:,}')}"] if len(rows) > ROWS else []
    return [f"## {words(title)}", *(f"- {clip_line(row, WIDEST)}" for row in rows[:ROWS]), *more]


def _counted(words: Catalog, counter: Counter[str], row: str) -> list[str]:
    ordered = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    return [words(row, name=escape_name(name), n=f"{count:,}") for name, count in ordered]


def _folders(counter: Counter[str]) -> list[str]:
    """Yield the largest folders, in the order of their names."""
    largest = sorted(counter, key=lambda name: (-counter[name], name))[:ROWS]
    rest = [""] * (len(counter) - len(largest))
    return [f"{escape_name(name)}/: {counter[name]:,}" for name in sorted(largest)] + rest


def _point(point: EntryPoint) -> str:
    place = f"{escape_name(point.path)}:{point.line}" if point.line else escape_name(point.path)
    return f"{place}: {escape_unprintable(point.text)}"


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

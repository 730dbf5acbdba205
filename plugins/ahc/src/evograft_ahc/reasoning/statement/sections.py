"""A statement's sections by what they are about, in English and Japanese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Part = Literal["story", "scoring", "constraints", "input", "output", "generation", "samples", "tools", "other"]

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)

_PARTS: Mapping[Part, re.Pattern[str]] = {
    "generation": re.compile(r"generation|生成", re.IGNORECASE),
    "samples": re.compile(r"sample|example|入力例|出力例", re.IGNORECASE),
    "tools": re.compile(r"\btools?\b|ツール", re.IGNORECASE),
    "scoring": re.compile(r"scor|得点|スコア|採点", re.IGNORECASE),
    "constraints": re.compile(r"constraint|制約", re.IGNORECASE),
    "input": re.compile(r"\binput|入力|入出力", re.IGNORECASE),
    "output": re.compile(r"\boutput|出力", re.IGNORECASE),
    "story": re.compile(r"problem|statement|問題|story|ストーリー", re.IGNORECASE),
}
"""What a heading has to mention; the first that fits counts."""


def find_parts(statement: str) -> dict[Part, str]:
    """Return the text of each part.

    The parts of several headings are joined, and what stands before any heading belongs to the story.
    """
    found: dict[Part, str] = {}
    pieces = _HEADING.split(statement)
    for heading, text in zip(["problem", *pieces[1::2]], pieces[::2], strict=True):
        part = _part_of(heading)
        found[part] = "\n\n".join(filter(None, (found.get(part, ""), text.strip())))
    return found


def _part_of(heading: str) -> Part:
    return next((part for part, words in _PARTS.items() if words.search(heading)), "other")

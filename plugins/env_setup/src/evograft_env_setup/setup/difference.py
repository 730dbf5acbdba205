"""The difference between two texts, character by character."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

WINDOW = 300
"""Characters from the first different one on that are compared in detail, because that takes the square of their
number."""
MOST = 8
"""Places that are told."""


@dataclass(frozen=True)
class TextChange:
    """A place at which the printed text differs."""

    at: int
    """Characters of the expected text before it."""
    expected: str
    printed: str

    def __str__(self) -> str:
        return f"character {self.at + 1}: expected {_quote(self.expected)}, printed {_quote(self.printed)}"


def find_changes(expected: str, printed: str) -> Iterator[TextChange]:
    """Yield what is to be replaced in the expected text to get the printed one, in order."""
    same = next((place for place, (a, b) in enumerate(zip(expected, printed, strict=False)) if a != b), None)
    start = min(len(expected), len(printed)) if same is None else same
    left, right = expected[start : start + WINDOW], printed[start : start + WINDOW]
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            yield TextChange(start + a, left[a:b], right[c:d])
    rest = expected[start + WINDOW :], printed[start + WINDOW :]
    if rest[0] != rest[1]:
        yield TextChange(start + len(left), *rest)


def describe_differences(expected: str, printed: str) -> str:
    """Return a line for each place, the first ones of many; empty if the texts are equal."""
    found = list(find_changes(expected, printed))
    lines = [str(change) for change in found[:MOST]]
    return "\n".join([*lines, f"and {len(found) - MOST} more"] if len(found) > MOST else lines)


def _quote(text: str) -> str:
    """Show a text so that blanks, line ends and look-alikes are told apart."""
    if not text:
        return "nothing"
    return json.dumps(text if len(text) <= WINDOW else f"{text[:WINDOW]}…")

"""Tokens of texts: identifiers whole and in parts, Japanese in one and two characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import TypeAlias

Cut: TypeAlias = Callable[[str], list[str]]
"""Cuts a run of Japanese into tokens."""

_JAPANESE = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_RUN = re.compile(rf"([{_JAPANESE}]+)|((?:(?![{_JAPANESE}])\w)+)")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\dA-Za-z_]+")


def split_characters(run: str) -> list[str]:
    """Return every character, and every two that stand together."""
    return [*run, *(run[start : start + 2] for start in range(len(run) - 1))]


def tokenize(text: str, japanese: Cut = split_characters) -> list[str]:
    """Return the tokens of a text, as often as they occur.

    Args:
        text: in any language.
        japanese: cuts what is Japanese.
    """
    found: list[str] = []
    for run in _RUN.finditer(unicodedata.normalize("NFKC", text)):
        found.extend(japanese(run[1]) if run[1] else _identifier(run[2]))
    return found


def _identifier(word: str) -> Iterator[str]:
    """`BrokenPipeError` is also found by `pipe`, and by `broken_pipe_error` in its parts."""
    whole = word.lower()
    yield whole
    parts = [part.lower() for part in _PART.findall(word)]
    if parts != [whole]:
        yield from parts

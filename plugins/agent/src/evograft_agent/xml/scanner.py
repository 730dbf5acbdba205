"""Tags in text that is not XML: what opens where, and where it may end. No XML parser reads what models write."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

NAME = r"[A-Za-z_][\w.-]*+"

# Elements of other vendors' forms carry the name that is meant: <invoke name="x">, <function=x>, <parameter=x>.
CALLING = frozenset({"invoke", "function", "tool", "tool_call", "tool_use"})
CARRYING = CALLING | {"parameter", "param", "argument", "arg"}

# Quantifiers are possessive (`*+`): nothing that was matched is tried again in another way, so time is linear.
_VALUE = r"""(?:"[^"\n]*+"|'[^'\n]*+'|(?:[^\s"'<>/]|/(?!\s*+>))++)"""
_ATTRIBUTE = rf"\s++[\w:.-]++\s*+=\s*+{_VALUE}"
_OPENING = re.compile(
    rf"<\s*+(?P<key>{NAME})(?:=(?P<of>{NAME}))?+(?P<attributes>(?:{_ATTRIBUTE})*+)\s*+(?P<alone>/?+)\s*+>"
)
_CLOSING = re.compile(rf"<\s*+/\s*+(?P<key>{NAME})\s*+>")
_CLOSING_CDATA = re.compile(rf"\]\]>\s*+{_CLOSING.pattern}")
_EACH = re.compile(rf"(?P<name>[\w:.-]++)\s*+=\s*+(?P<value>{_VALUE})")
# A comment with angle brackets in it is none, so that no search for its end goes far.
_BLANK = re.compile(r"(?:\s++|<!--[^<>]*+(?<=--)>)*+")


class OpeningTag(NamedTuple):
    """A tag that opens an element; a tuple, because a message may hold a hundred thousand of them."""

    key: str
    """The element's name in lower case: what its closing tag is called."""
    name: str
    """What is meant: the name as written, or the one that an element of another vendor's form carries."""
    attributes: tuple[tuple[str, str], ...]
    is_self_closing: bool
    """Whether it closes itself: `<name/>`."""
    start: int
    end: int


class ClosingTags:
    """Where elements may end, found in one pass: spans in the order of the text, by the element's name."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._spans: dict[str, list[tuple[int, int]]] = {}
        for match in pattern.finditer(text):
            self._spans.setdefault(match["key"].lower(), []).append(match.span())

    def find_first(self, key: str, at: int) -> tuple[int, int] | None:
        """Return the first span that begins at an offset or after it."""
        spans = self._spans.get(key, [])
        index = bisect_left(spans, (at, at))
        return spans[index] if index < len(spans) else None

    def find_between(self, key: str, start: int, end: int | None = None, *, most: int) -> Sequence[tuple[int, int]]:
        """Return the first `most` spans that begin in a stretch of the text, both its ends included."""
        spans = self._spans.get(key, [])
        low = bisect_left(spans, (start, start))
        high = len(spans) if end is None else bisect_left(spans, (end + 1, end + 1))
        return spans[low : min(high, low + most)]

    def find_last(self, key: str, start: int, *, most: int) -> Sequence[tuple[int, int]]:
        """Return the last `most` spans from an offset on, the last one first."""
        spans = self._spans.get(key, [])
        low = bisect_left(spans, (start, start))
        return spans[max(low, len(spans) - most) :][::-1]


class Scanner:
    """A message under reading."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def closing_tags(self) -> ClosingTags:
        """All closing tags."""
        return ClosingTags(_CLOSING, self.text)

    @cached_property
    def cdata_closing_tags(self) -> ClosingTags:
        """The ends of CDATA sections that closing tags follow; a span covers both."""
        return ClosingTags(_CLOSING_CDATA, self.text)

    def skip(self, at: int) -> int:
        """Return the next offset from here on that is neither blank nor in a comment."""
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def begins_line(self, at: int) -> bool:
        """Return whether only blanks stand before a place on its line."""
        while at and self.text[at - 1] in " \t":
            at -= 1
        return not at or self.text[at - 1] == "\n"

    def find_closing_end(self, key: str, at: int) -> int | None:
        """Return where the closing tag ends that begins at an offset."""
        match = _CLOSING.match(self.text, at)
        return match.end() if match and match["key"].lower() == key else None

    def has_opening(self, key: str, start: int, end: int) -> bool:
        """Return whether a tag of this name opens in a stretch of the text."""
        return next(self._openings(key, start, end), None) is not None

    def is_balanced(self, key: str, start: int, end: int, *, closed: int) -> bool:
        """Return whether in a stretch of the text as many tags of this name open as are closed there."""
        return sum(1 for _ in self._openings(key, start, end)) == closed

    def _openings(self, key: str, start: int, end: int) -> Iterator[re.Match[str]]:
        return re.compile(rf"<\s*+{re.escape(key)}[\s/>=]", re.IGNORECASE).finditer(self.text, start, end)

    def read_opening(self, at: int) -> OpeningTag | None:
        """Return the tag that opens an element at an offset."""
        match = _OPENING.match(self.text, at)
        if match is None:
            return None
        written, of, listed, slash = match.groups()
        attributes = _parse_attributes(listed) if listed else {}
        key, name = written.lower(), of or written
        if "name" in attributes and key in CARRYING:
            name = attributes.pop("name")
        return OpeningTag(key, name, tuple(attributes.items()), bool(slash), at, match.end())


def _parse_attributes(listed: str) -> dict[str, str]:
    return {each["name"].lower(): _unquote(each["value"]) for each in _EACH.finditer(listed)}


def _unquote(value: str) -> str:
    return value[1:-1] if value[:1] in {'"', "'"} else value

"""Quotations, which a message shows without meaning them: comments, block quotes, code spans, indented code."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from evograft_agent.xml.scanner import OpeningTag, Scanner

_ASIDES = {"<!--": "-->", "<![CDATA[": "]]>"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_TICKS = re.compile(r"`++")
_PARAGRAPH_END = re.compile(r"\n[ \t]*+(?:\n|`{3}|~{3})")
_LIST_ITEM = re.compile(r"\s*+(?:[-*+•]|[0-9]++[.)])\s")


class Quotations:
    """Finds the ends of quoted text in one message, which is read once from its start to its end."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._unclosed: set[str] = set()
        self._block_quote_end = 0

    def skip_aside(self, event: re.Match[str]) -> int:
        """Return where a comment or a CDATA section ends; one that is never closed is only its opening."""
        if event["aside"] in self._unclosed:
            return event.end()
        end = self._scanner.text.find(_ASIDES[event["aside"]], event.end())
        if end < 0:
            self._unclosed.add(event["aside"])
        return max(end, event.end())

    def skip_block_quote(self, event: re.Match[str]) -> int:
        """Return where the mark of a block quote ends, and remember where its line does."""
        end = self._scanner.text.find("\n", event.end())
        self._block_quote_end = len(self._scanner.text) if end < 0 else end
        return event.end()

    def skip_code_span(self, event: re.Match[str]) -> int:
        """Return where a code span ends: at as many backticks as it began with, in the same paragraph."""
        runs = self._runs[len(event["ticks"])]
        index = bisect_right(runs, event.start())
        if index == len(runs) or _PARAGRAPH_END.search(self._scanner.text, event.end(), runs[index]):
            return event.end()
        return runs[index] + len(event["ticks"])

    @cached_property
    def _runs(self) -> dict[int, list[int]]:
        runs: dict[int, list[int]] = {}
        for match in _TICKS.finditer(self._scanner.text):
            runs.setdefault(len(match[0]), []).append(match.start())
        return runs

    def find_quoted_end(self, tag: OpeningTag) -> int | None:
        """Return where an element ends that is quoted: in a block quote, between quotation marks, or as indented code.

        `None`: it is not quoted.
        """
        closing = self._scanner.closing_tags.find_first(tag.key, tag.end)
        end = tag.end if tag.is_self_closing or closing is None else closing[1]
        mark = _QUOTES.get(self._scanner.text[tag.start - 1 : tag.start])
        between_marks = mark is not None and self._scanner.text.startswith(mark, end)
        quoted = tag.start < self._block_quote_end or between_marks or self._is_indented_code(tag.start)
        return end if quoted else None

    def _is_indented_code(self, at: int) -> bool:
        """Return whether a place is indented as Markdown indents code: below an empty line, and not within a list."""
        text, start = self._scanner.text, at
        while start and text[start - 1] in " \t":
            start -= 1
        if "    " not in text[start:at].expandtabs(4) or not text.endswith(("\n\n", "\n\r\n"), 0, start):
            return False
        before = start - 1
        while before and text[before].isspace():
            before -= 1
        return not _LIST_ITEM.match(text, text.rfind("\n", 0, before) + 1)

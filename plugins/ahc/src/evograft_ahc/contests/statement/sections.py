"""A statement's sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADING = re.compile(r"^#{1,6}[ \t]+(?P<title>\S.*)$", re.MULTILINE)
BLOCK = re.compile(r"^(?P<fence>`{3,})[^\n`]*\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)


_UNDERLINED = re.compile(
    r"(?P<before>\A|\n[ \t\r]*\n)(?P<title>[^\s#>|`+*-][^\n]*?)[ \t\r]*\n(?P<line>=+|-{2,})(?=[ \t\r]*$)", re.MULTILINE
)


def mark_headings(markdown: str) -> str:
    """Return a text whose underlined headings begin with `#`, as all others do; what is in blocks stays."""
    pieces, end = [], 0
    for block in BLOCK.finditer(markdown):
        pieces += [_mark(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join((*pieces, _mark(markdown[end:])))


def _mark(text: str) -> str:
    return _UNDERLINED.sub(lambda hit: f"{hit['before']}{'#' if hit['line'][0] == '=' else '##'} {hit['title']}", text)


def split_sections(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield titles and what stands below each, up to the next heading. A `#` within a block is not a heading."""
    hidden = BLOCK.sub(lambda block: " " * len(block[0]), markdown)
    headings = list(HEADING.finditer(hidden))
    ends = (*(heading.start() for heading in headings[1:]), len(markdown))
    for heading, end in zip(headings, ends, strict=False):
        yield heading["title"].strip(), markdown[heading.end() : end]

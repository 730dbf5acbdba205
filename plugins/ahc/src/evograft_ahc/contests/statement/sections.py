"""A statement's sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADING = re.compile(r"^#{1,6}[ \t]+(?P<title>\S.*)$", re.MULTILINE)
BLOCK = re.compile(r"^(?P<fence>`{3,})[^\n`]*\n(?P<text>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)


def split_sections(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield titles and what stands below each, up to the next heading. A `#` within a block is not a heading."""
    hidden = BLOCK.sub(lambda block: " " * len(block[0]), markdown)
    headings = list(HEADING.finditer(hidden))
    ends = (*(heading.start() for heading in headings[1:]), len(markdown))
    for heading, end in zip(headings, ends, strict=False):
        yield heading["title"].strip(), markdown[heading.end() : end]

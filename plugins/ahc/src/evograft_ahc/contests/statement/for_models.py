"""A statement as models are shown it: no HTML, no pictures and addresses, and nothing about tools for people."""

from __future__ import annotations

import re

from evograft_ahc.contests.statement.sections import BLOCK, HEADING

TOOLS = re.compile(r"^(tools?|ツール(など|の使い方)?|入力ジェネレータ・ビジュアライザ.*|tools? \(.*\))$", re.IGNORECASE)
"""Titles of sections that are about programs for people."""

_TAG = re.compile(
    r"</?(?:span|div|a|details|summary|br|p|b|i|em|strong|u|center|font|img|section|hr)\b[^<>]{0,500}>", re.IGNORECASE
)
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]{1,1000}\)")
_LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\(https?://[^()\s]{1,1000}\)")
_LONE_LINK = re.compile(
    r"^[ \t]*(?:\[[^\[\]\n]{0,300}\]\(https?://[^()\s]{1,1000}\)|<a\b[^<>\n]{0,500}>[^<>\n]{0,300}</a>)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that is nothing but a link, such as to an example that is drawn somewhere else."""
_EMPTY_LINES = re.compile(r"\n{3,}")


def shorten_statement(markdown: str) -> str:
    """Return a statement without what no program depends on; what is in code blocks stays."""
    blocks = list(BLOCK.finditer(markdown))
    pieces, end = [], 0
    for block in blocks:
        pieces += [_clean(markdown[end : block.start()]), block[0]]
        end = block.end()
    text = "".join((*pieces, _clean(markdown[end:])))
    return _EMPTY_LINES.sub("\n\n", _without_tools(text)).strip() + "\n"


def _clean(text: str) -> str:
    return _LINK.sub(r"\1", _IMAGE.sub("", _TAG.sub("", _LONE_LINK.sub("", text))))


def _without_tools(markdown: str) -> str:
    """Leave out sections about tools, with the sections in them."""
    hidden = BLOCK.sub(lambda block: " " * len(block[0]), markdown)
    headings = list(HEADING.finditer(hidden))
    for heading in reversed(headings):
        if TOOLS.match(heading["title"].strip()):
            level = _level(heading)
            after = (each.start() for each in headings if each.start() > heading.start() and _level(each) <= level)
            markdown = markdown[: heading.start()] + markdown[next(after, len(hidden)) :]
    return markdown


def _level(heading: re.Match[str]) -> int:
    return len(heading[0]) - len(heading[0].lstrip("#"))

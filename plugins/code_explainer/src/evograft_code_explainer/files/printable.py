"""Names and lines of files as a model and a terminal may see them."""

from __future__ import annotations

import re

UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f"  # controls, escape sequences begin with one; a tab is as good as a blank
    r"\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # what reorders, breaks or hides text
    r"\ud800-\udfff\U000e0000-\U000e0fff]"  # bytes that are not text, and tags that nobody sees
)


def escape_unprintable(text: str) -> str:
    r"""Escape what could steer a terminal, hide text or reorder it in a line, such as `\x1b`."""
    return UNPRINTABLE.sub(_escape, text)


def escape_name(name: str) -> str:
    """Escape a name likewise; a tab in it is suspicious as well."""
    return escape_unprintable(name).replace("\t", "\\t")


def clip_line(text: str, length: int) -> str:
    """Cut a line to a given number of characters, and say how many are missing."""
    more = len(text) - length
    return text if more <= 0 else f"{text[:length]}… ({more:,} more characters)"


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - how Python keeps a byte that is not text
        code -= 0xDC00
    if code < 0x100:  # noqa: PLR2004
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004

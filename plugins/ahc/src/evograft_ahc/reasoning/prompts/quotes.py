"""Text of others within a prompt."""

from __future__ import annotations

import re


def quote(text: str, language: str = "") -> str:
    """Return the text in a fence that it can't close, whatever backquotes are in it."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"

"""Texts of strangers within Markdown and prompts: they end where we say, and are no longer than we say."""

from __future__ import annotations

import re

LOOKED_AT = 400_000
"""Characters that keys are looked for in."""


def fence(text: str) -> str:
    """Return the text in a fence that it can't close, whatever backquotes are in it."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}\n{text}\n{marks}"


def shorten(text: str, longest: int) -> str:
    """Return the text without its middle, if it is long.

    The first lines say what was done, the last ones what happened.
    """
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def bound(text: str) -> str:
    """Return the text, or as much of its two ends as keys are looked for in: far more than is ever shown of one."""
    return shorten(text, LOOKED_AT)

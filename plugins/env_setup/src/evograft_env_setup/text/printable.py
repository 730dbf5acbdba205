"""Names that strangers give their files, made harmless to terminals and to whatever stores them."""

from __future__ import annotations

import os


def escape_unprintable(text: str) -> str:
    """Return the text with escapes for what could steer a terminal, or is not text."""
    decoded = os.fsencode(text).decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in decoded)

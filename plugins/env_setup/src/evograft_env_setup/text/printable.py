"""What strangers call their files, made harmless to terminals and to whatever stores it."""

from __future__ import annotations

import os


def escape_unprintable(text: str) -> str:
    """The text with what could steer a terminal, or is no text, written as escapes."""
    decoded = os.fsencode(text).decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in decoded)

"""Plurals in English sentences."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """Return a number with what it counts, in the plural where that is due."""
    return f"{number} {what}{'' if number == 1 else 's'}"

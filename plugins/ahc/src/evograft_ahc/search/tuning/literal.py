"""Numbers as C++ writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

DIGITS = 5
"""Significant digits of a real number that is written."""

LITERAL = r"[+-]?(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?[a-zA-Z]*"
"""A decimal number, perhaps with a suffix that is none of C++'s."""

_PARTS = re.compile(r"([+-]?(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)([fFlLuUzZ]*)")
_REAL = re.compile(r"[.eE]")
_OCTAL = re.compile(r"[+-]?0[\d']+")


@dataclass(frozen=True)
class LiteralForm:
    """What a number keeps when its value changes."""

    is_integer: bool
    suffix: str = ""

    def write(self, value: float, *, digits: int = DIGITS) -> str:
        number = str(round(value)) if self.is_integer else repr(float(f"{value:.{digits}g}"))
        return number + self.suffix


@dataclass(frozen=True)
class NumberLiteral:
    """A number in a program."""

    value: float
    form: LiteralForm
    digits: int
    """Significant digits: a number with many is a constant of nature."""


def read_literal(text: str, *, is_real: bool = False) -> NumberLiteral | None:
    """Return the number that a decimal literal stands for; `None` for any other text.

    Args:
        text: the literal with its sign and suffix.
        is_real: what it initialises is a real number, whatever the literal looks like.
    """
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    number, suffix = parts[1].replace("'", ""), parts[2]
    is_integer = not _REAL.search(number)
    if is_integer and _OCTAL.fullmatch(number):
        return None
    digits = len(re.sub(r"[eE].*|\D", "", number).strip("0"))
    return NumberLiteral(float(number), LiteralForm(is_integer and not (is_real and not suffix), suffix), digits)

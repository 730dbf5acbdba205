"""Numbers as programs write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

DIGITS = 5
"""Significant digits of a real number that is written: more would make neighbours of programs that do the same."""

_DIGITS = r"\d(?:[_']?\d)*"
_NUMBER = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS}|(?![\w.])|(?=[eEdD][+-]?\d|_[a-zA-Z])))?|\.{_DIGITS})"
LITERAL = rf"{_NUMBER}(?:[eEdD][+-]?\d+)?\w*"
"""A decimal number without a sign, with all letters behind it, and without the point of `1..5` and `1.max(2)`."""

_PARTS = re.compile(rf"(?P<digits>{_NUMBER})(?:(?P<letter>[eEdD])(?P<exponent>[+-]?\d+))?(?P<suffix>\w*)")
_SUFFIX = re.compile(r"[fFlLuUzZ]*|_?[fiu](?:8|16|32|64|128|size)|_[a-zA-Z]\w*")
"""Of C and Java (`2.5f`, `7ull`), of Rust (`1u8`, `2.5_f64`), of Fortran (`2.5_dp`)."""
_REAL_SUFFIX = re.compile(r"[fF]|_?f(?:32|64)")


@dataclass(frozen=True)
class LiteralNotation:
    """What a number keeps when its value changes."""

    is_integer: bool
    suffix: str = ""
    is_double: bool = False
    """Whether its exponent is written with `d`, which makes it a number of Fortran in double precision."""

    def write(self, value: float) -> str:
        if self.is_integer:
            return str(round(value)) + self.suffix
        mantissa, _, exponent = repr(float(f"{value:.{DIGITS}g}")).partition("e")
        if self.is_double:
            return f"{mantissa}d{exponent or 0}{self.suffix}"
        return f"{mantissa}e{exponent}{self.suffix}" if exponent else mantissa + self.suffix


@dataclass(frozen=True)
class NumericLiteral:
    """A number in a program, without its sign, which it keeps."""

    text: str
    value: float
    notation: LiteralNotation


def read_literal(text: str, *, is_real: bool = False) -> NumericLiteral | None:
    """Return the number that a decimal literal stands for; `None` for any other text, such as `0x1F`, `017` or `2j`.

    Args:
        text: the literal with its suffix, without a sign.
        is_real: what it initialises is a real number, whatever the literal looks like.
    """
    parts = _PARTS.fullmatch(text)
    if parts is None or not _SUFFIX.fullmatch(parts["suffix"]):
        return None
    digits, letter, suffix = re.sub("[_']", "", parts["digits"]), parts["letter"] or "e", parts["suffix"]
    is_integer = "." not in digits and parts["letter"] is None and not _REAL_SUFFIX.fullmatch(suffix)
    if is_integer and len(digits) > 1 and digits.startswith("0"):
        return None
    notation = LiteralNotation(is_integer and not (is_real and not suffix), suffix, is_double=letter in "dD")
    return NumericLiteral(text, float(f"{digits}e{parts['exponent'] or 0}"), notation)

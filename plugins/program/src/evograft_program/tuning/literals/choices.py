"""Which numbers of a program somebody chose, and might have chosen otherwise.

A real number that stands anywhere is such a number, an integer only if it is all that a name is given: an integer
within an expression is an index, a size, a rank or a multiple far more often than a choice, and whoever wants one tuned
can name it. What is taken for a choice wrongly is found out by the candidates that it breaks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from evograft_program.tuning.literals.placed import LiteralRole, PlacedLiteral

SMALLEST, LARGEST, LARGEST_INTEGER = 1e-6, 1e9, 1e6
"""What lies beyond is a tolerance, stands for infinity, or seeds a generator."""
NEUTRAL = (1.0, 2.0)
"""Real numbers that belong to a formula where they stand in one: `1.0 - x`, `x / 2.0`."""
ROOT = 0.5
"""As an exponent; others are choices."""
FEWEST_DIGITS = 4
"""A number that agrees in so many digits with a constant of nature is that one."""
NATURE = (
    *(math.pi * factor for factor in (0.25, 0.5, 1.0, 2.0, 4.0)),
    *(math.pi / 180, 180 / math.pi, math.e, math.sqrt(2), math.sqrt(3), math.sqrt(5), math.log(2), math.log(10)),
    *((1 + math.sqrt(5)) / 2, (math.sqrt(5) - 1) / 2, 1 / math.sqrt(2), 9.80665),
)
NO_CHOICE = re.compile(
    r"budget|deadline|eps|epsilon|tol|tolerance|inf|infinity|mod|modulus|ms|pi|sec|seconds|seed|stop|time|timeout|tl"
    r"|until|version|port|[dsw]p"
)
"""Words in names of what nobody chooses: of time, more is better, up to a limit that is not the program's."""
STRUCTURE = re.compile(
    r"n|m|d|axis|n?dims?|dimensions?|rank|shape|size|length|len|index|idx|id|width|height|rows|col(?:umn)?s"
    r"|n?digits|decimals|indent"
)
"""Whole names of integers that others have to agree with."""
COUNTS = ("n", "num", "nb", "number")
"""Words before what is counted."""
EFFORT = re.compile(
    r"attempts|candidates|epochs|generations|iter(?:ation)?s?|moves|neighbou?rs|passes|particles|restarts|rounds"
    r"|samples|starts|steps|sweeps|trials|tries"
)
"""What a program does as often as it likes; other numbers of something are given by the task."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def choose(literals: Iterable[PlacedLiteral], *, most: int) -> tuple[int, ...]:
    """Return the places of the numbers that are choices, ascending; constants first, then named ones, if too many."""
    able = [(place, literal) for place, literal in enumerate(literals) if is_choice(literal)]
    able.sort(key=lambda each: _rank(each[1]))
    return tuple(sorted(place for place, _ in able[:most]))


def is_choice(placed: PlacedLiteral) -> bool:
    """Return whether a number looks like one that somebody chose."""
    value, words = placed.literal.value, [word.lower() for word in _WORDS.findall(placed.name)]
    if placed.is_compiled_in or placed.is_of_a_clock or any(map(NO_CHOICE.fullmatch, words)):
        return False
    if placed.literal.notation.is_integer:
        smallest = 1 if placed.name.isupper() else 2
        is_named = placed.role is LiteralRole.VALUE and bool(placed.name) and not _is_structure(words)
        return is_named and smallest <= value < LARGEST_INTEGER
    if not SMALLEST < value < LARGEST or _is_of_nature(placed):
        return False
    if placed.role is LiteralRole.EXPONENT:
        return value not in (*NEUTRAL, ROOT)
    return placed.role is LiteralRole.VALUE or value not in NEUTRAL


def _rank(placed: PlacedLiteral) -> int:
    """Return what is preferred if there are too many numbers, low first."""
    if placed.role is not LiteralRole.VALUE:
        return 2
    return 0 if placed.name.isupper() else 1


def _is_structure(words: Sequence[str]) -> bool:
    """Return whether an integer of this name is one that the rest of the program, or the task, relies on."""
    if STRUCTURE.fullmatch("_".join(words)):
        return True
    return len(words) > 1 and words[0] in COUNTS and not any(map(EFFORT.fullmatch, words))


def _is_of_nature(placed: PlacedLiteral) -> bool:
    digits = len(re.sub(r"[eEdD].*|\D", "", placed.literal.text).strip("0"))
    value = placed.literal.value
    return digits >= FEWEST_DIGITS and any(
        math.isclose(value, constant, rel_tol=0.5 * 10.0 ** (1 - digits)) for constant in NATURE
    )

"""A number with its surroundings, as far as they say whether somebody chose it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evograft_program.tuning.literals.notation import NumericLiteral


class LiteralRole(StrEnum):
    """What a number is to the expression around it."""

    VALUE = "value"
    """All that a name is given: by an assignment, a default, a keyword argument, an entry of a dictionary."""
    TERM = "term"
    """A part of an expression, an item of a list, an argument, an index."""
    EXPONENT = "exponent"


@dataclass(frozen=True)
class PlacedLiteral:
    """A number where it stands."""

    start: int
    end: int
    """Bytes of the text in UTF-8, without the sign."""
    literal: NumericLiteral
    role: LiteralRole
    name: str = ""
    """What is given the value that the number is, or is part of; empty: nothing."""
    is_compiled_in: bool = False
    """Whether the name is part of a type, such as the size of an array."""
    is_of_a_clock: bool = False
    """Whether it is a time that the program takes."""

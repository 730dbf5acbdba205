"""A formula as an immutable tree that knows its text and size, so that an edit costs only the way to the root.

Python's own `ast` would do, but writing a tree of forty nodes back as text takes longer than everything else here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["terminal", "constant", "call", "power", "binary"]

SUM, PRODUCT, NEGATIVE, POWER, ATOM = range(1, 6)
"""How tightly a text binds: what binds looser than its surroundings is put in parentheses."""

LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}

JOINT_NODES = 2
"""AST nodes of an arithmetic operation itself: `BinOp` and its operator."""


@dataclass(frozen=True, slots=True)
class FormulaExpression:
    """One formula, or a part of one. Equal texts are equal formulas.

    Parts are numbered from 0, the expression itself, in the order in which a reader meets them.
    """

    text: str
    kind: Kind = field(compare=False)
    head: str = field(compare=False)
    """The function's name, the operator, a power's exponent; of a leaf its text."""
    own: int = field(compare=False)
    """AST nodes without those of the parts."""
    level: int = field(compare=False, default=ATOM)
    parts: tuple[FormulaExpression, ...] = field(compare=False, default=())
    """The operands. The exponent of a power is none: it is changed as a whole."""
    nodes: int = field(compare=False, default=0)
    """AST nodes, as `ast.walk` counts them."""
    size: int = field(compare=False, default=1)
    """How many parts at any depth, itself included."""

    @property
    def value(self) -> float:
        """The number that a constant stands for."""
        return float(self.head)

    def walk(self) -> Iterator[FormulaExpression]:
        """Yield itself and all parts at any depth, in the order of their numbers."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def at(self, place: int) -> FormulaExpression:
        """Return the part with this number."""
        if place == 0:
            return self
        place -= 1
        for part in self.parts:
            if place < part.size:
                return part.at(place)
            place -= part.size
        raise IndexError(f"{self.text!r} has no such part")

    def replace(self, place: int, new: FormulaExpression) -> FormulaExpression:
        """Return a copy in which the part with this number is another one."""
        if place == 0:
            return new
        place -= 1
        parts = list(self.parts)
        for index, part in enumerate(parts):
            if place < part.size:
                parts[index] = part.replace(place, new)
                return self.with_parts(*parts)
            place -= part.size
        raise IndexError(f"{self.text!r} has no such part")

    def with_parts(self, *parts: FormulaExpression) -> FormulaExpression:
        """Return the same operation on other operands."""
        match self.kind:
            case "call":
                return call(self.head, parts[0], own=self.own)
            case "power":
                return power(parts[0], float(self.head))
            case "binary":
                return binary(self.head, parts[0], parts[1])
        return self


def leaf(text: str, *, nodes: int) -> FormulaExpression:
    """Return a terminal; its text must bind as tightly as a name."""
    return FormulaExpression(text, "terminal", text, nodes, nodes=nodes)


def constant(value: float) -> FormulaExpression:
    """Return a number, written as short as possible."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no constant")
    text = format_number(value)
    nodes, level = (3, NEGATIVE) if text[0] == "-" else (1, ATOM)
    return FormulaExpression(text, "constant", text, nodes, level, nodes=nodes)


def call(function: str, argument: FormulaExpression, *, own: int) -> FormulaExpression:
    """Return a function of one number.

    Args:
        function: its name, maybe dotted.
        argument: what it is applied to.
        own: AST nodes of the call and the name.
    """
    text = f"{function}({argument.text})"
    return FormulaExpression(text, "call", function, own, ATOM, (argument,), own + argument.nodes, 1 + argument.size)


def power(base: FormulaExpression, exponent: float) -> FormulaExpression:
    head = format_number(exponent)
    text = f"{_within(base, POWER + 1)} ** {head}"
    own = JOINT_NODES + (3 if exponent < 0 else 1)
    return FormulaExpression(text, "power", head, own, POWER, (base,), own + base.nodes, 1 + base.size)


def binary(operator: str, left: FormulaExpression, right: FormulaExpression) -> FormulaExpression:
    level = LEVELS[operator]
    text = f"{_within(left, level)} {operator} {_within(right, level + 1)}"
    nodes = JOINT_NODES + left.nodes + right.nodes
    return FormulaExpression(
        text, "binary", operator, JOINT_NODES, level, (left, right), nodes, 1 + left.size + right.size
    )


def format_number(value: float) -> str:
    """Write whole numbers without a point; zero has no sign."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)  # noqa: PLR2004 - exact


def _within(part: FormulaExpression, level: int) -> str:
    return part.text if part.level >= level else f"({part.text})"

"""A parser of the usual candidate, one line of arithmetic over columns, several times faster than Python's parser.

It takes less than `expression` does, and what it takes it reads alike; everything else is left to Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evograft_graph_invariant.formulas.parser import (
    FUNCTION,
    PLAIN_COLUMNS,
    UNARY_FUNCTIONS,
    Expr,
    NotAnExpression,
    build_operation,
)

LONGEST = 300
"""Characters of the expression: too few to be deeper or larger than what Python or `expression` would read."""

_HEAD = f"def {FUNCTION}(G):\n    return "
_SYMBOL = re.compile(
    r"[a-z]\w*\(G\)"  # a column
    r"|[a-z][a-z0-9.]*\("  # the start of a call
    r"|(?:[0-9]+\.[0-9]*|\.[0-9]+|0|[1-9][0-9]{0,14})(?:[eE][-+]?[0-9]+)?"  # longer integers may be too large
    r"|\*\*|[-+*/()]",
    re.ASCII,
)
_BINDING = {"+": (1, 2), "-": (1, 2), "*": (2, 3), "/": (2, 3), "**": (4, 4)}
"""How tightly an operator binds, and the least that may stand to its right without parentheses."""

_UNARY = 4
_COLUMNS = {f"{name}(G)": expr for name, expr in PLAIN_COLUMNS.items()}
_CALLS = {"abs(": ("abs", 3), **{f"math.{name}(": (f"math.{name}", 5) for name in UNARY_FUNCTIONS}}
"""The operation, and the nodes of a call beside its argument's."""

_END = ""


def parse_line(source: str) -> Expr | None:
    """Return the candidate as a formula, or `None` if it takes more to read it."""
    if not source.startswith(_HEAD) or len(source) > len(_HEAD) + LONGEST:
        return None
    text = source[len(_HEAD) :].rstrip("\n")
    symbols = _SYMBOL.findall(text)
    if "".join(symbols) != text.replace(" ", ""):
        return None
    try:
        return _Line(symbols).read()
    except (NotAnExpression, RecursionError):
        return None


class _Line:
    """Precedence climbing, one symbol ahead."""

    __slots__ = ("_next", "_rest")

    def __init__(self, symbols: list[str]) -> None:
        self._rest: Iterator[str] = iter(symbols)
        self._next = next(self._rest, _END)

    def read(self) -> Expr:
        expr = self._climb(1)
        if self._next is not _END:
            raise NotAnExpression(self._next)
        return expr

    def _climb(self, least: int) -> Expr:
        left = self._operand()
        while True:
            operator = self._next
            own, right = _BINDING.get(operator, (0, 0))
            if own < least:
                return left
            self._next = next(self._rest, _END)
            left = build_operation(operator, left, self._climb(right), own=2)

    def _operand(self) -> Expr:
        symbol = self._next
        self._next = next(self._rest, _END)
        column = _COLUMNS.get(symbol)
        if column is not None:
            return column
        if symbol in _CALLS:
            operation, own = _CALLS[symbol]
            return build_operation(operation, self._enclosed(), own=own)
        if symbol == "(":
            return self._enclosed()
        if symbol == "-":
            return build_operation("neg", self._climb(_UNARY), own=2)
        try:
            return Expr("constant", value=float(symbol), nodes=1)
        except ValueError:
            raise NotAnExpression(symbol) from None

    def _enclosed(self) -> Expr:
        expr = self._climb(1)
        if self._next != ")":
            raise NotAnExpression(self._next)
        self._next = next(self._rest, _END)
        return expr

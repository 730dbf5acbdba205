"""The growth of a formula beyond the graphs that it was made for, by its form alone."""

from __future__ import annotations

from evograft_graph_invariant.formulas.parser import Expr

STEEPEST = 3.0
"""The largest exponent that is no risk.

A steep power of a column fits the data as well as a gentler one with other numbers around it, and beyond them it is all
that counts.
"""


def count_steep(expr: Expr, outer: float = 1.0) -> int:
    """Count the powers that are steep; a power of a power counts by the product of their exponents.

    Args:
        expr: the formula, or a part of it.
        outer: the exponent that it is raised to, where it is a power's base.
    """
    exponent = _exponent(expr)
    if exponent is None:
        return sum(count_steep(argument) for argument in expr.arguments)
    total = outer * exponent
    return int(abs(total) > STEEPEST) + count_steep(expr.arguments[0], total)


def _exponent(expr: Expr) -> float | None:
    """Of a power whose exponent is a number."""
    if expr.operation == "math.sqrt":
        return 0.5
    if expr.operation != "**":
        return None
    exponent = expr.arguments[1]
    if exponent.operation == "neg":
        exponent = exponent.arguments[0]  # steep is steep, whichever the sign
    return exponent.value if exponent.operation == "constant" else None

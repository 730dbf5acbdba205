"""Cleaning up formulas, so that what means the same is more often written the same and counts as a duplicate."""

from __future__ import annotations

import math
from collections.abc import Callable

from evograft_operators.formulas.expression import FormulaExpression, binary, constant
from evograft_operators.formulas.grammar import Grammar, round_constant

DIGITS = 6
"""Significant digits of numbers that come of joining two."""

FOLDED: dict[str, Callable[[float], float]] = {
    "abs": abs,
    **{name: getattr(math, name) for name in ("sqrt", "cbrt", "log", "log2", "log10", "log1p", "exp", "fabs", "tanh")},
}
"""Functions that are carried out when their argument is a constant."""


def simplify(expression: FormulaExpression, grammar: Grammar) -> FormulaExpression:
    """Join constants, drop what changes nothing (`x + 0`, `1 * x`) and order the operands of sums and products."""
    if not expression.parts:
        return expression
    parts = tuple(simplify(part, grammar) for part in expression.parts)
    if any(new is not old for new, old in zip(parts, expression.parts, strict=True)):
        expression = expression.with_parts(*parts)
    rule = _RULES.get(expression.head if expression.kind == "binary" else expression.kind)
    return rule(expression, grammar) if rule else expression


def _simplify_call(expression: FormulaExpression, _: Grammar) -> FormulaExpression:
    function, argument = expression.head.removeprefix("math."), expression.parts[0]
    if argument.kind != "constant" or function not in FOLDED:
        return expression
    try:
        return _number(FOLDED[function](argument.value)) or expression
    except (ValueError, OverflowError):
        return expression


def _simplify_power(expression: FormulaExpression, _: Grammar) -> FormulaExpression:
    base, exponent = expression.parts[0], float(expression.head)
    if exponent == 1:
        return base
    if base.kind != "constant" or (base.value == 0 and exponent < 0) or (base.value < 0 and not exponent.is_integer()):
        return expression
    try:
        return _number(base.value**exponent) or expression
    except OverflowError:
        return expression


def _simplify_sum(expression: FormulaExpression, grammar: Grammar) -> FormulaExpression:
    left, right = expression.parts
    if left.kind == "constant" or (right.kind != "constant" and right.text < left.text):
        left, right = right, left
    if right.kind == "constant":
        return _shift(left, right.value, grammar) or expression
    return expression if left is expression.parts[0] else binary("+", left, right)


def _simplify_difference(expression: FormulaExpression, grammar: Grammar) -> FormulaExpression:
    left, right = expression.parts
    if left == right:
        return constant(0.0)
    if right.kind == "constant":
        return _shift(left, -right.value, grammar) or expression
    return expression


def _simplify_product(expression: FormulaExpression, _: Grammar) -> FormulaExpression:
    left, right = expression.parts
    if right.kind == "constant" or (left.kind != "constant" and right.text < left.text):
        left, right = right, left
    if left.kind == "constant":
        return _scale(left.value, right) or expression
    return expression if left is expression.parts[0] else binary("*", left, right)


def _simplify_quotient(expression: FormulaExpression, _: Grammar) -> FormulaExpression:
    left, right = expression.parts
    if right.kind == "constant" and right.value == 0:
        return expression
    if left == right:
        return constant(1.0)
    if right.kind == "constant" and right.value == 1:
        return left
    if left.kind == right.kind == "constant":
        return _number(left.value / right.value) or expression
    return left if left.kind == "constant" and left.value == 0 else expression


_RULES = {
    "call": _simplify_call,
    "power": _simplify_power,
    "+": _simplify_sum,
    "-": _simplify_difference,
    "*": _simplify_product,
    "/": _simplify_quotient,
}


def _shift(inner: FormulaExpression, shift: float, grammar: Grammar) -> FormulaExpression | None:
    """Return `inner + shift`, with the shift that `inner` has already.

    `None` if grammar or numbers cannot say it.
    """
    if inner.kind == "constant":
        return _number(inner.value + shift)
    if inner.kind == "binary" and inner.head in "+-" and inner.parts[1].kind == "constant":
        step = inner.parts[1].value
        inner, shift = inner.parts[0], round_constant(shift + (step if inner.head == "+" else -step), digits=DIGITS)
    if shift == 0:
        return inner
    sign = "+" if shift > 0 else "-"
    return binary(sign, inner, constant(abs(shift))) if sign in grammar.binaries else None


def _scale(factor: float, inner: FormulaExpression) -> FormulaExpression | None:
    """Return `factor * inner`, with the factor that `inner` has already.

    `None` if the number is out of bounds.
    """
    if inner.kind == "constant":
        return _number(factor * inner.value)
    if inner.kind == "binary" and inner.head == "*" and inner.parts[0].kind == "constant":
        joined = _number(factor * inner.parts[0].value)
        if joined is None:
            return None
        factor, inner = joined.value, inner.parts[1]
    if factor == 0:
        return constant(0.0)
    return inner if factor == 1 else binary("*", constant(factor), inner)


def _number(value: float) -> FormulaExpression | None:
    return constant(round_constant(value, digits=DIGITS)) if math.isfinite(value) else None

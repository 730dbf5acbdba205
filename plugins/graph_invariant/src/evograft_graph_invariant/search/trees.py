"""Formulas as trees that are built, taken apart and written: what the search inside an operator works on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from evograft_graph_invariant.formulas.parser import Expr, build_operation

Path = tuple[int, ...]
"""The arguments to take, from the whole formula downwards."""

DIGITS = 6
"""Significant digits of numbers that come of joining two."""

OWN_NODES = {"abs": 3, "neg": 2}
"""AST nodes of an operation itself; functions of `math` have `FUNCTION_NODES`, operators two."""

FUNCTION_NODES = 5
_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
_NEGATIVE = 3


def make_constant(value: float) -> Expr:
    """Return a number, negative ones with the nodes of their sign."""
    return Expr("constant", value=value, nodes=1 if value >= 0 else 3)


def make_operation(operation: str, *arguments: Expr) -> Expr:
    """Return an operation on formulas, as it is."""
    own = FUNCTION_NODES if operation.startswith("math.") else OWN_NODES.get(operation, 2)
    return build_operation(operation, *arguments, own=own)


def walk(expr: Expr, path: Path = ()) -> Iterator[tuple[Path, Expr]]:
    """Yield the formula and all its parts, each with the way to it."""
    yield path, expr
    for index, argument in enumerate(expr.arguments):
        yield from walk(argument, (*path, index))


def replace(expr: Expr, path: Path, new: Expr) -> Expr:
    """Return a copy in which the part at the end of the path is another one."""
    if not path:
        return new
    index = path[0]
    inner = replace(expr.arguments[index], path[1:], new)
    return make_operation(expr.operation, *expr.arguments[:index], inner, *expr.arguments[index + 1 :])


def tidy(expr: Expr) -> Expr:
    """Join numbers, draw signs into sums, and drop what changes nothing."""
    if not expr.arguments:
        return make_constant(expr.value) if expr.operation == "constant" else expr
    arguments = tuple(map(tidy, expr.arguments))
    if all(argument.operation == "constant" for argument in arguments):
        folded = _fold(expr.operation, *(argument.value for argument in arguments))
        if folded is not None:
            return folded
    rule = _RULES.get(expr.operation)
    return (rule(*arguments) if rule else None) or make_operation(expr.operation, *arguments)


def strip_affine_constants(expr: Expr) -> Expr:
    """Without constants that are added to the whole or multiplied with it: they change no rank."""
    while expr.operation in ("+", "-", "*", "/"):
        left, right = expr.arguments
        if right.operation == "constant":
            expr = left
        elif left.operation == "constant" and expr.operation != "/":
            expr = right
        else:
            break
    return expr


def to_source(expr: Expr, outer: int = 0) -> str:
    """Write the formula as Python."""
    match expr.operation:
        case "column":
            return f"{expr.name}(G)"
        case "constant":
            return _enclosed(_number(expr.value), within=expr.value < 0 and outer >= _NEGATIVE)
        case "neg":
            return _enclosed(f"-{to_source(expr.arguments[0], _NEGATIVE)}", within=outer > 1)
        case "+" | "-" | "*" | "/" | "**" as operator:
            own = _PRIORITY[operator]
            left = to_source(expr.arguments[0], own + (operator == "**"))
            right = to_source(expr.arguments[1], own + (operator not in ("+", "**", "*")) + (operator == "*"))
            return _enclosed(f"{left} {operator} {right}", within=own < outer)
    return f"{expr.operation}({', '.join(to_source(argument) for argument in expr.arguments)})"


def _enclosed(text: str, *, within: bool) -> str:
    return f"({text})" if within else text


def _number(value: float) -> str:
    is_exact = value.is_integer() and abs(value) < 1e15  # noqa: PLR2004 - exact in floats
    return str(int(value)) if is_exact else repr(value)


def round_to_digits(value: float, digits: int = DIGITS) -> float:
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


def _fold(operation: str, *values: float) -> Expr | None:
    try:
        result = _ARITHMETIC[operation](*values)
    except (KeyError, ValueError, ArithmeticError):
        return None
    if isinstance(result, complex) or not math.isfinite(result):
        return None
    return make_constant(round_to_digits(result))


_ARITHMETIC: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    "neg": lambda a: -a,
    "abs": abs,
    "math.sqrt": math.sqrt,
    "math.log": math.log,
    "math.exp": math.exp,
}


def _sum(a: Expr, b: Expr) -> Expr | None:
    if a.operation == "constant":
        a, b = b, a
    if b.operation != "constant":
        return None
    if a.operation in ("+", "-") and a.arguments[1].operation == "constant":
        first = a.arguments[1].value
        return _sum(a.arguments[0], make_constant(round_to_digits(b.value + (first if a.operation == "+" else -first))))
    if a.operation == "-" and a.arguments[0].operation == "constant":
        return make_operation("-", make_constant(round_to_digits(a.arguments[0].value + b.value)), a.arguments[1])
    if b.value == 0:
        return a
    return make_operation("+", a, b) if b.value > 0 else make_operation("-", a, make_constant(-b.value))


def _difference(a: Expr, b: Expr) -> Expr | None:
    if b.operation == "constant":
        return _sum(a, make_constant(-b.value))
    if a == b:
        return make_constant(0.0)
    if a.operation == "constant" and b.operation in ("+", "-"):
        left, right = b.arguments
        if right.operation == "constant":
            shift = right.value if b.operation == "+" else -right.value
            return make_operation("-", make_constant(round_to_digits(a.value - shift)), left)
    return None


def _product(a: Expr, b: Expr) -> Expr | None:
    if b.operation == "constant":
        a, b = b, a
    if a.operation != "constant":
        return None
    if b.operation == "*" and b.arguments[0].operation == "constant":
        return _product(make_constant(round_to_digits(a.value * b.arguments[0].value)), b.arguments[1])
    return b if a.value == 1 else make_operation("*", a, b)


def _quotient(a: Expr, b: Expr) -> Expr | None:
    if a == b:
        return make_constant(1.0)
    if b.operation == "constant" and b.value == 1:
        return a
    return None


def _power(a: Expr, b: Expr) -> Expr | None:
    if b.operation != "constant":
        return None
    if b.value == 1:
        return a
    if b.value == 0:
        return make_constant(1.0)
    return None


_RULES: dict[str, Callable[..., Expr | None]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "**": _power,
}

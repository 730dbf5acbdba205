"""Formulas as trees that are built, taken apart and written: what the search inside an operator works on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from evograft_graph_invariant.formulas.parser import PLAIN_COLUMNS, Step, join

Path = tuple[int, ...]
"""Which argument to take, from the whole formula downwards."""

DIGITS = 6
"""Significant digits of numbers that come of joining two."""

OWN_NODES = {"abs": 3, "neg": 2}
"""AST nodes of an operation itself; functions of `math` have `FUNCTION_NODES`, operators two."""

FUNCTION_NODES = 5
_PRIORITY = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
_NEGATIVE = 3


def column(name: str) -> Step:
    return PLAIN_COLUMNS[name]


def constant(value: float) -> Step:
    """A number, negative ones with the nodes of their sign."""
    return Step("constant", value=value, nodes=1 if value >= 0 else 3)


def apply(operation: str, *arguments: Step) -> Step:
    """An operation on formulas, as it is."""
    own = FUNCTION_NODES if operation.startswith("math.") else OWN_NODES.get(operation, 2)
    return join(operation, *arguments, own=own)


def walk(step: Step, path: Path = ()) -> Iterator[tuple[Path, Step]]:
    """The formula and all its parts, each with the way to it."""
    yield path, step
    for index, argument in enumerate(step.arguments):
        yield from walk(argument, (*path, index))


def replace(step: Step, path: Path, new: Step) -> Step:
    """A copy in which the part at the end of the path is another one."""
    if not path:
        return new
    index = path[0]
    inner = replace(step.arguments[index], path[1:], new)
    return apply(step.operation, *step.arguments[:index], inner, *step.arguments[index + 1 :])


def tidy(step: Step) -> Step:
    """Numbers joined, signs drawn into sums, and nothing that changes nothing."""
    if not step.arguments:
        return constant(step.value) if step.operation == "constant" else step
    arguments = tuple(map(tidy, step.arguments))
    if all(argument.operation == "constant" for argument in arguments):
        folded = _fold(step.operation, *(argument.value for argument in arguments))
        if folded is not None:
            return folded
    rule = _RULES.get(step.operation)
    return (rule(*arguments) if rule else None) or apply(step.operation, *arguments)


def without_line(step: Step) -> Step:
    """Without constants that are added to the whole or multiplied with it: they change no rank."""
    while step.operation in ("+", "-", "*", "/"):
        left, right = step.arguments
        if right.operation == "constant":
            step = left
        elif left.operation == "constant" and step.operation != "/":
            step = right
        else:
            break
    return step


def write(step: Step, outer: int = 0) -> str:
    """The formula as Python."""
    match step.operation:
        case "column":
            return f"{step.name}(G)"
        case "constant":
            return _enclosed(_number(step.value), within=step.value < 0 and outer >= _NEGATIVE)
        case "neg":
            return _enclosed(f"-{write(step.arguments[0], _NEGATIVE)}", within=outer > 1)
        case "+" | "-" | "*" | "/" | "**" as operator:
            own = _PRIORITY[operator]
            left = write(step.arguments[0], own + (operator == "**"))
            right = write(step.arguments[1], own + (operator not in ("+", "**", "*")) + (operator == "*"))
            return _enclosed(f"{left} {operator} {right}", within=own < outer)
    return f"{step.operation}({', '.join(write(argument) for argument in step.arguments)})"


def _enclosed(text: str, *, within: bool) -> str:
    return f"({text})" if within else text


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)  # noqa: PLR2004 - exact in floats


def rounded(value: float, digits: int = DIGITS) -> float:
    return round(value, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0.0


def _fold(operation: str, *values: float) -> Step | None:
    try:
        result = _ARITHMETIC[operation](*values)
    except (KeyError, ValueError, ArithmeticError):
        return None
    if isinstance(result, complex) or not math.isfinite(result):
        return None
    return constant(rounded(result))


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


def _sum(a: Step, b: Step) -> Step | None:
    if a.operation == "constant":
        a, b = b, a
    if b.operation != "constant":
        return None
    if a.operation in ("+", "-") and a.arguments[1].operation == "constant":
        first = a.arguments[1].value
        return _sum(a.arguments[0], constant(rounded(b.value + (first if a.operation == "+" else -first))))
    if a.operation == "-" and a.arguments[0].operation == "constant":
        return apply("-", constant(rounded(a.arguments[0].value + b.value)), a.arguments[1])
    if b.value == 0:
        return a
    return apply("+", a, b) if b.value > 0 else apply("-", a, constant(-b.value))


def _difference(a: Step, b: Step) -> Step | None:
    if b.operation == "constant":
        return _sum(a, constant(-b.value))
    if a == b:
        return constant(0.0)
    if a.operation == "constant" and b.operation in ("+", "-"):
        left, right = b.arguments
        if right.operation == "constant":
            shift = right.value if b.operation == "+" else -right.value
            return apply("-", constant(rounded(a.value - shift)), left)
    return None


def _product(a: Step, b: Step) -> Step | None:
    if b.operation == "constant":
        a, b = b, a
    if a.operation != "constant":
        return None
    if b.operation == "*" and b.arguments[0].operation == "constant":
        return _product(constant(rounded(a.value * b.arguments[0].value)), b.arguments[1])
    return b if a.value == 1 else apply("*", a, b)


def _quotient(a: Step, b: Step) -> Step | None:
    if a == b:
        return constant(1.0)
    if b.operation == "constant" and b.value == 1:
        return a
    return None


def _power(a: Step, b: Step) -> Step | None:
    if b.operation != "constant":
        return None
    if b.value == 1:
        return a
    if b.value == 0:
        return constant(1.0)
    return None


_RULES: dict[str, Callable[..., Step | None]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "**": _power,
}

"""A formula's domain on graphs that nobody has looked at: interval arithmetic over the possible values of columns.

A root of `0.45 - density` is sound on every sparse graph and fails on a dense one. Data that hold no dense graph cannot
tell; the bounds of a column on all connected graphs can.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.graphs.vocabulary import COLUMNS

Interval = tuple[float, float]
T = TypeVar("T")

ANYTHING: Interval = (-math.inf, math.inf)
_COLUMNS = {column.name: (column.low, column.high) for column in COLUMNS}


def count_unsafe(formula: Expr) -> int:
    """How many operations may meet an argument outside of their domain on some connected graph.

    None is a proof that there is none but for single points at the very edge, such as a division by `two_hop_share`,
    which is 0 on complete graphs. One or more is no proof of the contrary: intervals forget that two columns belong
    together.
    """
    return _bounds(formula)[1]


def _bounds(expr: Expr) -> tuple[Interval, int]:
    """Return the values that a formula may take, and the number of unsafe operations in it."""
    operation = expr.operation
    if operation == "column":
        return _COLUMNS.get(expr.name, ANYTHING), 0
    if operation == "constant":
        return (expr.value, expr.value), 0
    arguments = []
    unsafe = 0
    for argument in expr.arguments:
        interval, count = _bounds(argument)
        arguments.append(interval)
        unsafe += count
    leaves_domain = _LEAVES_DOMAIN.get(operation)
    if leaves_domain is not None and leaves_domain(*arguments):
        unsafe += 1
    compute = _RESULTS.get(operation)
    return (compute(*arguments) if compute else ANYTHING), unsafe


def _power_leaves_domain(base: Interval, exponent: Interval) -> bool:
    whole = exponent[0] == exponent[1] and exponent[0].is_integer()
    return (exponent[0] < 0 and _straddles_zero(base)) or (not whole and base[0] < 0)


def _straddles_zero(interval: Interval) -> bool:
    return interval[0] < 0 < interval[1] or interval == (0, 0)


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _negate(a: Interval) -> Interval:
    return -a[1], -a[0]


def _multiply(a: Interval, b: Interval) -> Interval:
    products = [x * y if x and y else 0.0 for x in a for y in b]
    return min(products), max(products)


def _invert(a: Interval) -> Interval:
    if _straddles_zero(a):
        return ANYTHING
    low = 1 / a[1] if a[1] else -math.inf
    high = 1 / a[0] if a[0] else math.inf
    return low, high


def _power(base: Interval, exponent: Interval) -> Interval:
    if exponent[0] != exponent[1]:
        return ANYTHING
    power = exponent[0]
    if power < 0:
        return _invert(_power(base, (-power, -power)))
    if power.is_integer() and power % 2 == 1:
        return _monotone(lambda x: x**power)(base)
    low, high = _absolute(base) if power.is_integer() else (max(0.0, base[0]), max(0.0, base[1]))
    return _monotone(lambda x: x**power)((low, high))


def _absolute(a: Interval) -> Interval:
    low = 0.0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))
    return low, max(abs(a[0]), abs(a[1]))


def _monotone(function: Callable[[float], float], *, low: float = -math.inf) -> Callable[[Interval], Interval]:
    """Return the image of an interval, cut off where the function begins; what is too large for a float is infinite."""

    def image(a: Interval) -> Interval:
        ends = []
        for x in a:
            try:
                ends.append(function(max(x, low)))
            except OverflowError:
                ends.append(math.inf)
            except ValueError:
                ends.append(-math.inf)
        return ends[0], ends[1]

    return image


def _with_modules(functions: dict[str, T]) -> dict[str, T]:
    """Return the functions under the names that expressions have for them."""
    return {f"{module}{name}": function for name, function in functions.items() for module in ("math.", "np.")}


_LEAVES_DOMAIN: dict[str, Callable[..., bool]] = {
    "/": lambda _, b: _straddles_zero(b),
    "**": _power_leaves_domain,
    **_with_modules(
        {
            "sqrt": lambda a: a[0] < 0,
            "log": lambda a: a[0] < 0 or a[1] <= 0,
            "log2": lambda a: a[0] < 0 or a[1] <= 0,
            "log10": lambda a: a[0] < 0 or a[1] <= 0,
            "log1p": lambda a: a[0] < -1 or a[1] <= -1,
        }
    ),
}

_RESULTS: dict[str, Callable[..., Interval]] = {
    "+": _add,
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _multiply,
    "/": lambda a, b: _multiply(a, _invert(b)),
    "**": _power,
    "neg": _negate,
    "abs": _absolute,
    "min": lambda *a: (min(low for low, _ in a), min(high for _, high in a)),
    "max": lambda *a: (max(low for low, _ in a), max(high for _, high in a)),
    **_with_modules(
        {
            "abs": _absolute,
            "fabs": _absolute,
            "sqrt": _monotone(math.sqrt, low=0.0),
            "log": _monotone(math.log, low=0.0),
            "log2": _monotone(math.log2, low=0.0),
            "log10": _monotone(math.log10, low=0.0),
            "log1p": _monotone(math.log1p, low=-1.0),
            "exp": _monotone(math.exp),
            "tanh": _monotone(math.tanh),
            "atan": _monotone(math.atan),
            "arctan": _monotone(math.atan),
            "sinh": _monotone(math.sinh),
            "sin": lambda _: (-1.0, 1.0),
            "cos": lambda _: (-1.0, 1.0),
        }
    ),
}

"""The values of a formula on all graphs of a set at once, with the results and failures of plain Python on each.

Nearly every formula is sound on every graph, which NumPy finds out by itself: it is asked to raise on the first
invalid operation. Only then is the formula evaluated a second time, with a mask of the graphs on which Python would
have raised. Integers count as floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.formulas.parser import NUMPY_FUNCTIONS, UNARY_FUNCTIONS, Expr, NotAnExpression
from evograft_graph_invariant.formulas.program import CandidateProgram

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CandidateValues:
    """The values of a candidate on the graphs of a set."""

    values: Vector
    """NaN where there is none."""
    failures: tuple[tuple[int, str], ...] = ()
    """Graph and reason, for the first few graphs without a finite value."""

    @property
    def answered(self) -> float:
        """The share of graphs with a finite value."""
        return float(np.isfinite(self.values).mean())


def evaluate_columns(formula: Expr, columns: Mapping[str, Vector], count: int) -> CandidateValues:
    """Return the formula's value on each of `count` graphs.

    Raises:
        NotAnExpression: when it uses a column that is not there, or fails in a way that only NumPy's own scalars
            define, so that the program has to be run.
    """
    try:
        return CandidateValues(_spread(_strict(formula, columns), count))
    except FloatingPointError:
        pass
    with np.errstate(all="ignore"):
        careful = _Careful(columns, count)
        values = _spread(careful.value(formula), count).copy()
    return careful.answers(values)


def interpret(program: CandidateProgram, columns: Mapping[str, Vector], count: int) -> CandidateValues | None:
    """Return the candidate's values if it is a formula that can be evaluated here; `None` if it has to be run."""
    if program.formula is None:
        return None
    try:
        return evaluate_columns(program.formula, columns, count)
    except NotAnExpression:
        return None


def _spread(value: Any, count: int) -> Vector:
    if isinstance(value, np.ndarray) and value.shape == (count,):
        return value
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (count,))


@np.errstate(divide="raise", invalid="raise", over="raise", under="ignore")
def _strict(formula: Expr, columns: Mapping[str, Vector]) -> Any:
    return _fast(formula, columns)


def _fast(expr: Expr, columns: Mapping[str, Vector]) -> Any:
    operation = expr.operation
    compute = FUNCTIONS.get(operation)
    if compute is not None:
        return compute(*[_fast(argument, columns) for argument in expr.arguments])
    if operation == "column":
        try:
            return columns[expr.name]
        except KeyError:
            raise NotAnExpression(f"the column {expr.name} may not be used here") from None
    if operation == "constant":
        return np.float64(expr.value)
    return _extreme(operation, [_fast(argument, columns) for argument in expr.arguments])


def _extreme(operation: str, arguments: list[Any]) -> Any:
    """Python's `min` and `max`, which keep the earlier one unless a later one compares as strictly better."""
    best = arguments[0]
    for other in arguments[1:]:
        better = other < best if operation == "min" else other > best
        best = np.where(better, other, best)
    return best


class _Careful:
    """An evaluation that remembers on which graphs Python raises, and why."""

    def __init__(self, columns: Mapping[str, Vector], count: int) -> None:
        self.columns = columns
        self.reasons: dict[str, Mask] = {}
        self.count = count

    def value(self, expr: Expr) -> Any:
        operation = expr.operation
        if operation in ("column", "constant"):
            return _fast(expr, self.columns)
        if operation.startswith("np."):
            raise NotAnExpression("what NumPy's scalars do where Python raises is left to them")
        arguments = [self.value(argument) for argument in expr.arguments]
        if operation in ("min", "max"):
            return _extreme(operation, arguments)
        result = FUNCTIONS[operation](*arguments)
        for reason, applies in _RAISES.get(operation, ()):
            self._note(reason, applies(result, *arguments))
        return result

    def answers(self, values: Vector) -> CandidateValues:
        failures: dict[int, str] = {}
        for reason, mask in self.reasons.items():
            for index in np.flatnonzero(mask):
                failures.setdefault(int(index), reason)
            values[mask] = np.nan
        for index in np.flatnonzero(~np.isfinite(values)):
            failures.setdefault(int(index), f"value is {values[index]}")
            values[index] = np.nan
        return CandidateValues(values, tuple(sorted(failures.items())[:5]))

    def _note(self, reason: str, applies: Any) -> None:
        mask = np.broadcast_to(np.asarray(applies), (self.count,))
        if mask.any():
            self.reasons[reason] = self.reasons.get(reason, np.zeros(self.count, dtype=bool)) | mask


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": np.power,  # the operator takes short cuts for some exponents, with other last digits
    "neg": operator.neg,
    "abs": operator.abs,
    **{f"math.{name}": getattr(np, {"atan": "arctan"}.get(name, name)) for name in UNARY_FUNCTIONS},
    **{f"np.{name}": getattr(np, name) for name in NUMPY_FUNCTIONS},
}

Raises = tuple[tuple[str, Callable[..., Any]], ...]

_OVERFLOW = "OverflowError: math range error"
_DOMAIN = "ValueError: math domain error"


def _overflows(result: Any, *arguments: Any) -> Any:
    finite = np.isinf(result)
    for argument in arguments:
        finite = finite & np.isfinite(argument)
    return finite


_LOGARITHM: Raises = ((_DOMAIN, lambda _, x: x <= 0),)
_PERIODIC: Raises = ((_DOMAIN, lambda _, x: np.isinf(x)),)
_GROWING: Raises = ((_OVERFLOW, _overflows),)

_RAISES: dict[str, Raises] = {
    "/": (("ZeroDivisionError: division by zero", lambda _, _a, b: b == 0),),
    "**": (
        ("ZeroDivisionError: zero to a negative power", lambda _, a, b: (a == 0) & (b < 0)),
        ("complex number", lambda _, a, b: (a < 0) & np.isfinite(a) & np.isfinite(b) & (b != np.floor(b))),
        (_OVERFLOW, lambda r, a, b: _overflows(r, a, b) & (a != 0)),
    ),
    "math.log": _LOGARITHM,
    "math.log2": _LOGARITHM,
    "math.log10": _LOGARITHM,
    "math.log1p": ((_DOMAIN, lambda _, x: x <= -1),),
    "math.sqrt": ((_DOMAIN, lambda _, x: x < 0),),
    "math.sin": _PERIODIC,
    "math.cos": _PERIODIC,
    "math.tan": _PERIODIC,
    "math.exp": _GROWING,
    "math.sinh": _GROWING,
    "math.cosh": _GROWING,
}

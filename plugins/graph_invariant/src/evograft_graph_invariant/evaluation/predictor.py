"""The best formula with its calibration, as Python functions of numbers and of a graph that predict the target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.column_expressions import EXPRESSIONS, list_assignments
from evograft_graph_invariant.graphs.vocabulary import COLUMNS
from evograft_graph_invariant.scoring.calibration import StraightCalibration
from evograft_graph_invariant.scoring.simplicity import format_formula

_PYTHON = {"arctan": "atan"}
"""Names of functions of NumPy whose namesake in `math` has another one."""
_CALLED = re.compile(r"\b[a-z]\w*(?=\()")
_BUILTIN = frozenset({"abs", "min", "max", "predict"})
_LIBRARIES = {"networkx": "nx", "numpy": "np"}
_APART = ["", ""]
"""Empty lines between functions."""


def write_predictor(program: CandidateProgram, calibration: StraightCalibration, target: str) -> str:
    """Write the function of the columns, or of the value of a program that is no formula, and one of a graph."""
    columns = ["value"] if program.formula is None else list_columns(program.formula)
    predict = _define(f"predict({', '.join(columns)})", _predict(program.formula, calibration, target))
    imports = _import_called("\n".join(predict))
    functions = [*_APART, *predict]
    if EXPRESSIONS.keys() >= set(columns):
        of_graph = _define("predict_graph(G)", _predict_graph(columns))
        imports += [
            f"import {name} as {alias}" for name, alias in _LIBRARIES.items() if f"{alias}." in "".join(of_graph)
        ]
        functions += [*_APART, *of_graph]
    return "\n".join([*imports, *functions]).strip()


def _predict(expr: Expr | None, calibration: StraightCalibration, target: str) -> Iterator[str]:
    line, prediction = calibration.write()
    yield f'"""Predict the {target.replace("_", " ")} of a connected graph."""'
    if expr is not None:
        yield f"value = {_CALLED.sub(_to_python, format_formula(expr))}"
    yield line
    yield f"return {prediction}"


def _predict_graph(columns: list[str]) -> Iterator[str]:
    """Numbers of Python raise where the formula has no value; those of NumPy would go on."""
    yield '"""Predict it of a connected `networkx.Graph` without loops."""'
    yield from list_assignments(columns)
    yield f"return predict({', '.join(f'float({column})' for column in columns)})"


def _define(signature: str, body: Iterable[str]) -> list[str]:
    return [f"def {signature}:", *(f"    {line}" for line in body)]


def _import_called(code: str) -> list[str]:
    called = sorted(set(_CALLED.findall(code)) - _BUILTIN)
    return [f"from math import {', '.join(called)}"] if called else []


def list_columns(expr: Expr) -> list[str]:
    """Return the columns of a formula, in the order in which they are explained."""
    used = set(_walk(expr))
    listed = [column.name for column in COLUMNS if column.name in used]
    return listed + sorted(used.difference(listed))


def _walk(expr: Expr) -> Iterator[str]:
    if expr.operation == "column":
        yield expr.name
    for argument in expr.arguments:
        yield from _walk(argument)


def _to_python(called: re.Match[str]) -> str:
    return _PYTHON.get(called.group(), called.group())

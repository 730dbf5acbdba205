"""The best formula with its calibration, as a Python function that predicts the target and needs no library."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.vocabulary import COLUMNS
from evograft_graph_invariant.scoring.calibration import StraightCalibration
from evograft_graph_invariant.scoring.simplicity import format_formula

_PYTHON = {"arctan": "atan"}
"""Names of functions of NumPy whose namesake in `math` has another one."""
_CALLED = re.compile(r"\b[a-z]\w*(?=\()")
_BUILTIN = frozenset({"abs", "min", "max", "predict"})


def write_predictor(program: CandidateProgram, calibration: StraightCalibration, target: str) -> str:
    """Write the function: of the columns, or of the value of a program that is no formula."""
    line, prediction = calibration.write()
    expr = program.formula
    parameters = ["value"] if expr is None else list_columns(expr)
    lines = [
        f"def predict({', '.join(parameters)}):",
        f'    """Predict the {target.replace("_", " ")} of a connected graph."""',
        *([] if expr is None else [f"    value = {_CALLED.sub(_to_python, format_formula(expr))}"]),
        f"    {line}",
        f"    return {prediction}",
    ]
    imported = sorted(set(_CALLED.findall("\n".join(lines))) - _BUILTIN)
    head = [f"from math import {', '.join(imported)}", "", ""] if imported else []
    return "\n".join([*head, *lines])


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

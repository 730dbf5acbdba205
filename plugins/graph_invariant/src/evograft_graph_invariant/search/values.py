"""Values of formulas on all graphs of the search: one of them, or thousands that differ at one place only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evograft_graph_invariant.formulas.interpreter import FUNCTIONS
from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.scoring.correlation import Matrix, Vector
from evograft_graph_invariant.search.trees import Path


def compute_values(expr: Expr, columns: Mapping[str, Vector]) -> Any:
    """Return the formula's values, infinite or NaN where it has none; a number for a constant."""
    if expr.operation == "column":
        return columns[expr.name]
    if expr.operation == "constant":
        return np.float64(expr.value)
    return FUNCTIONS[expr.operation](*(compute_values(argument, columns) for argument in expr.arguments))


def compute_replaced(expr: Expr, path: Path, rows: Matrix, columns: Mapping[str, Vector]) -> Any:
    """Return the values of the formula with each of the rows in turn at the end of the path."""
    if not path:
        return rows
    index = path[0]
    arguments = [
        compute_replaced(argument, path[1:], rows, columns) if place == index else compute_values(argument, columns)
        for place, argument in enumerate(expr.arguments)
    ]
    return FUNCTIONS[expr.operation](*arguments)

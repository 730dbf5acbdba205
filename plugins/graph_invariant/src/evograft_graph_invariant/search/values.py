"""Values of formulas on all graphs of the search: one of them, or thousands that differ at one place only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evograft_graph_invariant.formulas.interpreter import FUNCTIONS
from evograft_graph_invariant.formulas.parser import Step
from evograft_graph_invariant.scoring.correlation import Matrix, Vector
from evograft_graph_invariant.search.trees import Path


def value(step: Step, columns: Mapping[str, Vector]) -> Any:
    """The formula's values, infinite or NaN where it has none; a number for a constant."""
    if step.operation == "column":
        return columns[step.name]
    if step.operation == "constant":
        return np.float64(step.value)
    return FUNCTIONS[step.operation](*(value(argument, columns) for argument in step.arguments))


def completed(step: Step, path: Path, rows: Matrix, columns: Mapping[str, Vector]) -> Any:
    """The values of the formula with each of the rows in turn at the end of the path."""
    if not path:
        return rows
    index = path[0]
    arguments = [
        completed(argument, path[1:], rows, columns) if place == index else value(argument, columns)
        for place, argument in enumerate(step.arguments)
    ]
    return FUNCTIONS[step.operation](*arguments)

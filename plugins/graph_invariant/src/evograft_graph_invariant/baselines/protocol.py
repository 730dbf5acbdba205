"""The arguments and results of methods for comparison. This module imports no heavy library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from evograft_graph_invariant.graphs.features import Vector

BaselineName = Literal["linear", "forest", "best_single", "exhaustive", "operon", "gplearn", "pysr"]

ALWAYS: tuple[BaselineName, ...] = ("linear", "forest", "best_single", "exhaustive", "operon", "pysr")
"""The methods of a table unless the options say otherwise; one that cannot run is a row that says why."""

HEADINGS: dict[BaselineName, str] = {
    "linear": "LinearRegression",
    "forest": "RandomForest",
    "best_single": "best single",
    "exhaustive": "exhaustive",
    "operon": "PyOperon",
    "gplearn": "gplearn",
    "pysr": "PySR",
}

SYMBOLIC: tuple[BaselineName, ...] = ("pysr", "operon")
"""Methods that search formulas with constants, by a library."""

MAX_NODES = 40
"""The most nodes of formulas of this plugin by default, the return included."""

Predictor = Callable[[Mapping[str, "Vector"]], "Vector"]


RATES: dict[BaselineName, int] = {"operon": 50_000, "gplearn": 950, "pysr": 20_000}
"""Formulas that a symbolic method evaluates in a second of CPU, on 250 graphs and 34 columns. Those of PyOperon, steps
of its coefficient optimisation included, and gplearn, whose fitness sorts, were measured; PySR's is an estimate."""


@dataclass(frozen=True)
class SymbolicBudget:
    """The budget of a symbolic method."""

    evaluations: int = 30_000
    """Formulas tried; a result that this ends is the same on every machine."""
    cpu_seconds: float = math.inf
    """Ends it earlier; results then depend on the machine."""
    max_nodes: int = MAX_NODES
    """The best formula of at most this many AST nodes is taken; the best of any size if there is none."""


def budget_of(method: BaselineName, *, seconds: float, max_nodes: int = MAX_NODES) -> SymbolicBudget:
    """Return as many evaluations as take about the given CPU time: equal budgets for methods of different speeds."""
    return SymbolicBudget(max(1, round(seconds * RATES.get(method, 0))), max_nodes=max_nodes)


@dataclass(frozen=True)
class FittedBaseline:
    """A way to predict the target, or its order, that was fitted on all graphs the search saw."""

    method: BaselineName
    predict: Predictor
    calibrated: bool
    """Whether it predicts the target itself, and not only its order."""
    expression: str = ""
    """The formula, if it is one."""
    nodes: int | None = None
    """Its AST nodes, counted as a candidate's are; `None` for what is not a formula."""
    evaluations: int | None = None
    """Formulas that it was given to try; `None` for what tries none. A count and no time: judgements of equal runs are
    compared."""

    @property
    def heading(self) -> str:
        return HEADINGS[self.method]


@dataclass(frozen=True)
class NotRun:
    """A method that is missing from the table, and why."""

    method: BaselineName
    reason: str

    @property
    def heading(self) -> str:
        return HEADINGS[self.method]

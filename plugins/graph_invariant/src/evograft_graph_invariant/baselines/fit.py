"""Fits the methods of a table, one after another, each with the same graphs, columns and budget."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from evograft_graph_invariant.baselines import genetic, julia, linear_models, operon
from evograft_graph_invariant.baselines.exhaustive import search_exhaustively
from evograft_graph_invariant.baselines.parsed_formulas import ChosenFormulas, count_formula
from evograft_graph_invariant.baselines.protocol import (
    MAX_NODES,
    BaselineName,
    FittedBaseline,
    NotRun,
    SymbolicBudget,
    budget_of,
)
from evograft_graph_invariant.formulas.interpreter import evaluate_columns
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable

EXTRA = "pip install 'evograft-graph-invariant[symbolic]'"

Fit = Callable[[FeatureTable, int, SymbolicBudget], FittedBaseline]


def fit_baselines(
    seen: FeatureTable, methods: Iterable[BaselineName], *, seed: int, seconds: float, max_nodes: int = MAX_NODES
) -> tuple[FittedBaseline | NotRun, ...]:
    """Fits each on everything that the search was shown; equal arguments, equal results, on any machine.

    A method whose package is missing, or that fails, is in the answer with the reason and without a number.

    Args:
        seen: training and validation graphs, with the level's columns.
        methods: in the order of the answer.
        seed: of the methods' random numbers.
        seconds: of CPU that each symbolic method may spend, turned into a number of evaluations.
        max_nodes: of the formulas that are taken.
    """
    with threadpool_limits(1):
        return tuple(
            _fit(method, seen, seed, budget_of(method, seconds=seconds, max_nodes=max_nodes)) for method in methods
        )


def _fit(method: BaselineName, seen: FeatureTable, seed: int, budget: SymbolicBudget) -> FittedBaseline | NotRun:
    reason = _why_not(method)
    if reason is not None:
        return NotRun(method, reason)
    try:
        return _FITS[method](seen, seed, budget)
    except Exception as err:  # noqa: BLE001 - foreign code: a table with a row less is better than no judgement
        return NotRun(method, f"it failed: {type(err).__name__}: {err}")


def _why_not(method: BaselineName) -> str | None:
    if method == "pysr":
        return julia.find_obstacle()
    package = {"operon": "pyoperon", "gplearn": "gplearn"}.get(method)
    if package is None or importlib.util.find_spec(package) is not None:
        return None
    return f"{package} is not installed: {EXTRA}"


def fit_exhaustive(seen: FeatureTable) -> FittedBaseline:
    """Fit the best of all expressions of two or three columns."""
    best = search_exhaustively(seen.columns, seen.target)
    formula = CandidateProgram.parse(write_program(best.expression)).formula

    def predict(columns: Mapping[str, Vector]) -> Vector:
        assert formula is not None
        return evaluate_columns(formula, columns, len(next(iter(columns.values())))).values

    return FittedBaseline(
        "exhaustive",
        predict,
        calibrated=False,
        expression=best.expression,
        nodes=count_formula(best.expression),
        evaluations=best.tried,
    )


def _symbolic(method: BaselineName, fit: Callable[[FeatureTable, int, SymbolicBudget], ChosenFormulas]) -> Fit:
    def fitted(seen: FeatureTable, seed: int, budget: SymbolicBudget) -> FittedBaseline:
        found = fit(seen, seed, budget).as_baseline(method, tuple(seen.columns))
        return replace(found, evaluations=budget.evaluations)

    return fitted


_FITS: dict[BaselineName, Fit] = {
    "linear": lambda seen, _seed, _budget: linear_models.fit_linear_regression(seen),
    "forest": lambda seen, seed, _budget: linear_models.fit_forest(seen, seed % 2**32),
    "best_single": lambda seen, _seed, _budget: linear_models.fit_best_single(seen),
    "exhaustive": lambda seen, _seed, _budget: fit_exhaustive(seen),
    "operon": _symbolic("operon", lambda seen, seed, budget: operon.fit_operon(seen, seed % 2**31, budget)),
    "gplearn": _symbolic("gplearn", lambda seen, seed, budget: genetic.fit_gplearn(seen, seed % 2**32, budget)),
    "pysr": _symbolic("pysr", lambda seen, seed, budget: julia.fit_pysr(seen, seed % 2**31, budget)),
}

"""The plugin's two packages for symbolic regression, with a budget in CPU seconds instead of evaluations."""

from __future__ import annotations

from collections.abc import Callable

from evograft_graph_invariant.baselines import genetic, linear_models, operon
from evograft_graph_invariant.baselines.parsed_formulas import ChosenFormulas, ParsedFormula
from evograft_graph_invariant.baselines.protocol import SymbolicBudget
from evograft_graph_invariant.scoring.correlation import Matrix
from evograft_graph_invariant.scoring.feature_table import FeatureTable

__all__ = ["ChosenFormulas", "Fit", "ParsedFormula", "build_matrix", "fit_gplearn", "fit_operon"]

BEYOND_THE_CLOCK = 10**9

Fit = Callable[[FeatureTable, int, float], ChosenFormulas]
"""Graphs, seed, CPU seconds."""


def build_matrix(table: FeatureTable) -> Matrix:
    return linear_models.build_matrix(table.columns, tuple(table.columns))


def fit_gplearn(metric: str, max_nodes: int) -> Fit:
    return lambda seen, seed, seconds: genetic.fit_gplearn(seen, seed, _clock(seconds, max_nodes), metric=metric)


def fit_operon(target: str, max_nodes: int, *, longest: int = operon.LONGEST) -> Fit:
    return lambda seen, seed, seconds: operon.fit_operon(
        seen, seed, _clock(seconds, max_nodes), aim=target, longest=longest
    )


def _clock(seconds: float, max_nodes: int) -> SymbolicBudget:
    return SymbolicBudget(evaluations=BEYOND_THE_CLOCK, cpu_seconds=seconds, max_nodes=max_nodes)

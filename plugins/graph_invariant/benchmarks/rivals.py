"""The plugin's two packages for symbolic regression, with a budget in CPU seconds instead of evaluations."""

from __future__ import annotations

from collections.abc import Callable

from evograft_graph_invariant.baselines import genetic, linear_models, operon
from evograft_graph_invariant.baselines.parsed_formulas import Formula, Found
from evograft_graph_invariant.baselines.protocol import Budget
from evograft_graph_invariant.scoring.correlation import Matrix
from evograft_graph_invariant.scoring.feature_table import Sheet

__all__ = ["Fit", "Formula", "Found", "fit_gplearn", "fit_operon", "table"]

BEYOND_THE_CLOCK = 10**9

Fit = Callable[[Sheet, int, float], Found]
"""Graphs, seed, CPU seconds."""


def table(sheet: Sheet) -> Matrix:
    return linear_models.table(sheet.columns, tuple(sheet.columns))


def fit_gplearn(metric: str, max_nodes: int) -> Fit:
    return lambda seen, seed, seconds: genetic.fit_gplearn(seen, seed, _clock(seconds, max_nodes), metric=metric)


def fit_operon(target: str, max_nodes: int, *, longest: int = operon.LONGEST) -> Fit:
    return lambda seen, seed, seconds: operon.fit_operon(
        seen, seed, _clock(seconds, max_nodes), aim=target, longest=longest
    )


def _clock(seconds: float, max_nodes: int) -> Budget:
    return Budget(evaluations=BEYOND_THE_CLOCK, cpu_seconds=seconds, max_nodes=max_nodes)

"""Linear regression and a random forest on the level's columns, and the best of these alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evograft_graph_invariant.baselines.protocol import Baseline
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.correlation import Matrix, spearman
from evograft_graph_invariant.scoring.feature_table import Sheet

TREES = 200


def fit_linear_regression(seen: Sheet) -> Baseline:
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    names = tuple(seen.columns)
    fitted = make_pipeline(StandardScaler(), LinearRegression()).fit(table(seen.columns, names), seen.target)
    return Baseline("linear", lambda columns: fitted.predict(table(columns, names)), calibrated=True)


def fit_forest(seen: Sheet, seed: int) -> Baseline:
    from sklearn.ensemble import RandomForestRegressor

    names = tuple(seen.columns)
    fitted = RandomForestRegressor(n_estimators=TREES, random_state=seed).fit(table(seen.columns, names), seen.target)
    return Baseline("forest", lambda columns: fitted.predict(table(columns, names)), calibrated=True)


def fit_best_single(seen: Sheet) -> Baseline:
    """The column with the largest |ρ|, of those that candidates may use."""
    best = max(seen.columns, key=lambda name: abs(spearman(seen.columns[name], seen.target)))
    return Baseline("best_single", lambda columns: columns[best], calibrated=False, expression=best, nodes=nodes(best))


def nodes(column: str) -> int:
    return Program.parse(f"def new_invariant(G):\n    return {column}(G)\n").ast_nodes


def table(columns: Mapping[str, Vector], names: tuple[str, ...]) -> Matrix:
    """One row a graph."""
    return np.stack([columns[name] for name in names], axis=1)

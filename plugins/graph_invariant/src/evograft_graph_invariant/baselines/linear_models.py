"""Linear regression and a random forest on the level's columns, and the best of these alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evograft_graph_invariant.baselines.protocol import FittedBaseline
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.correlation import Matrix, spearman
from evograft_graph_invariant.scoring.feature_table import FeatureTable

TREES = 200


def fit_linear_regression(seen: FeatureTable) -> FittedBaseline:
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    names = tuple(seen.columns)
    fitted = make_pipeline(StandardScaler(), LinearRegression()).fit(build_matrix(seen.columns, names), seen.target)
    return FittedBaseline("linear", lambda columns: fitted.predict(build_matrix(columns, names)), calibrated=True)


def fit_forest(seen: FeatureTable, seed: int) -> FittedBaseline:
    from sklearn.ensemble import RandomForestRegressor

    names = tuple(seen.columns)
    fitted = RandomForestRegressor(n_estimators=TREES, random_state=seed).fit(
        build_matrix(seen.columns, names), seen.target
    )
    return FittedBaseline("forest", lambda columns: fitted.predict(build_matrix(columns, names)), calibrated=True)


def fit_best_single(seen: FeatureTable) -> FittedBaseline:
    """Choose the column with the largest |ρ|, of those that candidates may use."""
    best = max(seen.columns, key=lambda name: abs(spearman(seen.columns[name], seen.target)))
    return FittedBaseline(
        "best_single", lambda columns: columns[best], calibrated=False, expression=best, nodes=count_column_nodes(best)
    )


def count_column_nodes(column: str) -> int:
    return CandidateProgram.parse(write_program(f"{column}(G)")).ast_nodes


def build_matrix(columns: Mapping[str, Vector], names: tuple[str, ...]) -> Matrix:
    """One row a graph."""
    return np.stack([columns[name] for name in names], axis=1)

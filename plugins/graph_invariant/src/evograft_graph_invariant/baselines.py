"""What a candidate has to beat: two learners on the same columns, and the best single column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.scoring import Matrix, spearman
from evograft_graph_invariant.sheet import Sheet

TREES = 200
FOREST_SEED = 0

Predictor = Callable[[Mapping[str, Vector]], Vector]


@dataclass(frozen=True)
class Baseline:
    """A way to predict the target that was fitted on the training and validation graphs."""

    name: str
    predict: Predictor
    calibrated: bool
    """Whether it predicts the target itself, and not only its order."""


def fit_baselines(seen: Sheet) -> tuple[Baseline, ...]:
    """Fits all of them on everything that the search was shown."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    names = tuple(seen.columns)
    table = _table(seen.columns, names)
    linear = make_pipeline(StandardScaler(), LinearRegression()).fit(table, seen.target)
    forest = RandomForestRegressor(n_estimators=TREES, random_state=FOREST_SEED).fit(table, seen.target)
    best = best_single_column(seen)
    return (
        Baseline("LinearRegression", lambda columns: linear.predict(_table(columns, names)), calibrated=True),
        Baseline("RandomForest", lambda columns: forest.predict(_table(columns, names)), calibrated=True),
        Baseline(f"best single: {best}", lambda columns: columns[best], calibrated=False),
    )


def best_single_column(seen: Sheet) -> str:
    """The column with the largest |ρ|, of those that candidates may use."""
    return max(seen.columns, key=lambda name: abs(spearman(seen.columns[name], seen.target)))


def _table(columns: Mapping[str, Vector], names: tuple[str, ...]) -> Matrix:
    return np.stack([columns[name] for name in names], axis=1)

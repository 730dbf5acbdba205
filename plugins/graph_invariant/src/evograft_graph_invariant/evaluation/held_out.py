"""Scores on the test graphs, which only the final evaluation looks at: errors, novelty, simplicity and the total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evograft_graph_invariant.baselines.protocol import FittedBaseline
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.calibration import mae, rmse
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable
from evograft_graph_invariant.scoring.novelty import Likenesses, measure_likeness


@dataclass(frozen=True)
class HeldOutScores:
    """Scores on the test graphs."""

    monotone: tuple[float, float] = (0.0, 0.0)
    """RMSE and MAE after the monotone calibration."""
    baseline_errors: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """RMSE and MAE of the baselines that predict the target itself."""
    likeness: Likenesses = field(default_factory=Likenesses)
    """To the reference invariants."""
    likeness_given_target: Likenesses = field(default_factory=Likenesses)
    """The same for what is left of both given the target."""
    novelty: float = 0.0
    """The bonus that the total counts: of one of the two, as the options say."""
    simplicity: float = 0.0
    total: float = 0.0


def measure_errors(baselines: Iterable[FittedBaseline], table: FeatureTable) -> dict[str, tuple[float, float]]:
    """Return RMSE and MAE of the baselines that predict the target itself, by heading."""
    errors = {}
    for baseline in baselines:
        if baseline.calibrated:
            predicted = baseline.predict(table.columns)
            errors[baseline.heading] = rmse(predicted, table.target), mae(predicted, table.target)
    return errors


def measure_both_likenesses(
    values: Vector, references: Mapping[str, Vector], target: Vector, *, seed: int
) -> tuple[Likenesses, Likenesses]:
    """Return the likeness to the references, and the same given the target."""
    plain = measure_likeness(values, references, seed=seed)
    return plain, measure_likeness(values, references, seed=seed, given=target)


def choose_bonus(plain: Likenesses, given_target: Likenesses, options: GraphInvariantOptions) -> float:
    """Return the novelty bonus that the options ask for."""
    return (given_target if options.novelty == "given_target" else plain).bonus

"""The score that the search climbs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring import rank_profile
from evograft_graph_invariant.sheet import SearchSheet


@dataclass(frozen=True)
class SearchScore:
    """What is known of a candidate after the search's evaluation. Correlations are signed."""

    train: float
    validation: float
    worst_slice: float
    """|ρ| in the worst slice, negative where the sign is not that of the whole."""
    linearity: float
    """The largest |Pearson r| with the target, its logarithm and its inverse."""
    novelty: float
    unsafe: int = 0
    """Operations that may leave their domain on other graphs; see `domain`."""


def measure(values: Vector, sheet: SearchSheet) -> SearchScore:
    """Scores the values on training and validation graphs."""
    profile = rank_profile(values[sheet.train.count :])
    validation = float(profile @ sheet.validation_profile)
    slices = sheet.slice_correlations(values)
    return SearchScore(
        train=sheet.train_correlation(values[: sheet.train.count]),
        validation=_bounded(validation),
        worst_slice=_bounded(float((slices * np.sign(validation)).min())),
        linearity=sheet.linearity(values),
        novelty=sheet.novelty.bonus(profile),
    )


def screened_score(train: float) -> float:
    """Below every score of a candidate that was looked at further, the better the closer it came."""
    return abs(train) - 1.0


def search_score(score: SearchScore, ast_nodes: int, options: GraphInvariantOptions) -> float:
    """The objectives `rho` and `robust`."""
    rho = abs(score.validation)
    if options.objective == "robust":
        rho = (rho + score.worst_slice + score.linearity) / 3 - options.unsafe_cost * score.unsafe
    return rho - options.parsimony * ast_nodes


def _bounded(rho: float) -> float:
    return min(1.0, max(-1.0, rho))

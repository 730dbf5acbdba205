"""The targets that may be predicted, and what a candidate may not use for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evograft_graph_invariant.graphs.vocabulary import Level, get_columns_up_to

TargetName = Literal["average_shortest_path_length", "algebraic_connectivity"]

REFERENCE_INVARIANTS = (
    "density",
    "clustering_coefficient",
    "degree_assortativity",
    "transitivity",
    "average_degree",
    "max_degree",
    "spectral_radius",
    "diameter",
    "algebraic_connectivity",
)
"""What novelty is measured against; the target itself is left out."""

DISTANCE_QUANTITIES = (
    "average_shortest_path_length",
    "diameter",
    "radius",
    "mean_eccentricity",
    "wiener_index",
    "mean_closeness",
    "global_efficiency",
    "mean_betweenness",
    "three_hop_share",
    "beyond_two_share",
)
"""Quantities made of distances. They are computed for checks and judgement, and no candidate gets to see them."""

LAPLACIAN_COLUMNS = ("algebraic_connectivity", "laplacian_radius", "mean_resistance", "log_trees_per_node")
"""Columns that come from the Laplacian's spectrum."""


@dataclass(frozen=True)
class Target:
    """A quantity to be predicted."""

    name: TargetName
    meaning: str
    forbidden: tuple[str, ...]
    """Columns and distance quantities that a candidate may neither use nor reproduce; the target is among them."""


TARGETS: dict[TargetName, Target] = {
    "average_shortest_path_length": Target(
        "average_shortest_path_length",
        "the mean distance over all pairs of nodes",
        DISTANCE_QUANTITIES,
    ),
    "algebraic_connectivity": Target(
        "algebraic_connectivity",
        "the second smallest eigenvalue of the Laplacian",
        LAPLACIAN_COLUMNS,
    ),
}


def get_allowed_columns(target: TargetName, level: Level) -> tuple[str, ...]:
    """Return the columns that candidates and baselines may use."""
    forbidden = TARGETS[target].forbidden
    return tuple(name for name in get_columns_up_to(level) if name not in forbidden)


def get_reference_invariants(target: TargetName) -> tuple[str, ...]:
    return tuple(name for name in REFERENCE_INVARIANTS if name != target)

"""The targets that may be predicted, and what a candidate may not use for each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from evograft_graph_invariant.graphs.vocabulary import Level, get_columns_up_to

Family = Literal["distances", "laplacian"]
"""Targets that many quantities say in other words."""

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


ADJACENCY_COLUMNS = ("spectral_radius", "energy_per_node", "log_estrada_per_node")
"""Columns that come from the adjacency matrix's spectrum."""

TRIANGLE_COLUMNS = ("triangles", "clustering_coefficient", "transitivity")

SEARCHED = 60
"""Nodes up to which a largest or smallest set of nodes is found in a second or so; random graphs of 100 take ten."""


@dataclass(frozen=True)
class Target:
    """A quantity to be predicted."""

    name: str
    meaning: str
    forbidden: tuple[str, ...]
    """Columns and hidden quantities that a candidate may neither use nor reproduce; the target is among them."""
    computed_by: str = "NumPy"
    family: Family | None = None
    largest: int | None = None
    """Nodes of the largest graphs that it is computed for; `None`: any number."""


def _of_distances(name: str, meaning: str, computed_by: str = "NumPy") -> Target:
    return Target(name, meaning, _with(name, DISTANCE_QUANTITIES), computed_by, "distances")


def _of_laplacian(name: str, meaning: str) -> Target:
    return Target(name, meaning, _with(name, LAPLACIAN_COLUMNS), family="laplacian")


def _of_sets(name: str, meaning: str, computed_by: str = "SciPy (HiGHS)", largest: int | None = SEARCHED) -> Target:
    return Target(name, meaning, (name,), computed_by, largest=largest)


def _with(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    return others if name in others else (name, *others)


_LISTED = (
    _of_distances("average_shortest_path_length", "the mean distance over all pairs of nodes"),
    _of_distances("diameter", "the largest distance"),
    _of_distances("radius", "the smallest eccentricity"),
    _of_distances("mean_eccentricity", "the mean over the nodes of the largest distance from it"),
    _of_distances("wiener_index", "the sum of the distances over all pairs of nodes"),
    _of_distances("harary_index", "the sum of 1/distance over all pairs of nodes"),
    _of_distances("global_efficiency", "the mean of 1/distance over all pairs of nodes"),
    _of_distances("mean_closeness", "the mean closeness centrality of the nodes"),
    _of_distances("max_betweenness", "the largest betweenness centrality of a node", "igraph"),
    _of_laplacian("algebraic_connectivity", "the second smallest eigenvalue of the Laplacian"),
    _of_laplacian("laplacian_radius", "the largest eigenvalue of the Laplacian"),
    _of_laplacian("mean_resistance", "the mean effective resistance over the pairs of nodes"),
    _of_laplacian("kirchhoff_index", "the sum of the effective resistances over all pairs of nodes"),
    _of_laplacian("log_trees_per_node", "the logarithm of the number of spanning trees, over n"),
    Target("spectral_radius", "the largest eigenvalue of the adjacency matrix", ADJACENCY_COLUMNS),
    Target(
        "energy",
        "the sum of the absolute eigenvalues of the adjacency matrix",
        _with("energy", ADJACENCY_COLUMNS),
    ),
    Target(
        "normalized_connectivity",
        "the second smallest eigenvalue of the normalised Laplacian",
        ("normalized_connectivity",),
    ),
    Target("triangles", "the number of triangles", TRIANGLE_COLUMNS),
    Target("clustering_coefficient", "the average clustering coefficient", TRIANGLE_COLUMNS),
    Target("transitivity", "the closed share of the paths of length two", TRIANGLE_COLUMNS),
    Target(
        "degree_assortativity",
        "the correlation of the degrees at the two ends of an edge",
        ("degree_assortativity",),
    ),
    Target(
        "two_hop_share",
        "the share of the pairs of nodes at distance exactly two",
        ("two_hop_share", "mean_second_neighbors", "beyond_two_share"),
    ),
    Target("randic_index", "the sum of 1/sqrt(d(u)d(v)) over the edges uv", ("randic_index",)),
    Target("degeneracy", "the largest k for which there is a k-core", ("degeneracy",), "igraph"),
    _of_sets("matching_number", "the largest number of pairwise disjoint edges", "rustworkx", None),
    _of_sets("edge_connectivity", "the fewest edges whose removal disconnects", "rustworkx", None),
    _of_sets("node_connectivity", "the fewest nodes whose removal disconnects; n - 1 if none", "igraph", 100),
    _of_sets("clique_number", "the largest number of pairwise adjacent nodes", "igraph", 200),
    _of_sets("independence_number", "the largest number of pairwise nonadjacent nodes"),
    _of_sets("chromatic_number", "the smallest number of colours of a proper colouring", "branch and bound", 40),
    _of_sets("domination_number", "the fewest nodes such that every other one has a neighbour there"),
    _of_sets("total_domination_number", "the fewest nodes such that every one has a neighbour there"),
    _of_sets("independent_domination_number", "the fewest nodes of a maximal independent set"),
)

TARGETS: dict[str, Target] = {target.name: target for target in _LISTED}


def find_given_away(columns: Collection[str]) -> frozenset[str]:
    """Return the hidden quantities that some columns give away: a pair is adjacent, two steps apart, or further."""
    return frozenset({"beyond_two_share"} if {"density", "two_hop_share"} <= set(columns) else ())


def find_target(name: str) -> Target:
    """Return a target by its name, or one of the user's: a function or a column of a table, which forbids itself."""
    label = name.rpartition(":")[2]
    return TARGETS.get(name) or Target(label, f"the quantity {label}", (label,), "you")


def get_allowed_columns(target: str, level: Level) -> tuple[str, ...]:
    """Return the columns that candidates and baselines may use."""
    forbidden = find_target(target).forbidden
    return tuple(name for name in get_columns_up_to(level) if name not in forbidden)


def get_reference_invariants(target: str) -> tuple[str, ...]:
    return tuple(name for name in REFERENCE_INVARIANTS if name != target)

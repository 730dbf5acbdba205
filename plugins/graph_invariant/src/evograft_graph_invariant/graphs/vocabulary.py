"""The columns by name: what each is, from which information level it may be used, and how networkx spells it.

This module imports no heavy library, so that options can be checked without one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Level = Literal["size", "degrees", "triangles", "two_hop", "spectrum"]

LEVELS: tuple[Level, ...] = ("size", "degrees", "triangles", "two_hop", "spectrum")
"""From the least to the most informed; each includes those before it."""


@dataclass(frozen=True)
class ColumnSpec:
    """A quantity of a graph that candidates may use as `name(G)`."""

    name: str
    level: Level
    meaning: str
    spellings: tuple[str, ...] = ()
    """Other expressions with this value, as `ast.unparse` writes them."""
    low: float = 0.0
    high: float = math.inf
    """What it lies between on every connected graph with at least two nodes."""


_DECILES = tuple(
    ColumnSpec(f"degree_decile_{i}", "degrees", f"decile {i} of the degree sequence, interpolated", low=1)
    for i in range(1, 10)
)

COLUMNS: tuple[ColumnSpec, ...] = (
    ColumnSpec(
        "n",
        "size",
        "number of nodes",
        (
            "G.number_of_nodes()",
            "nx.number_of_nodes(G)",
            "G.order()",
            "len(G)",
            "len(G.nodes())",
            "len(G.nodes)",
            "len(list(G.nodes()))",
        ),
        low=2,
    ),
    ColumnSpec(
        "m",
        "size",
        "number of edges",
        (
            "G.number_of_edges()",
            "nx.number_of_edges(G)",
            "G.size()",
            "len(G.edges())",
            "len(G.edges)",
            "len(list(G.edges()))",
        ),
        low=1,
    ),
    ColumnSpec("density", "size", "2m / (n(n-1))", ("nx.density(G)",), high=1),
    ColumnSpec("average_degree", "size", "2m / n", low=1),
    ColumnSpec("max_degree", "degrees", "largest degree", ("max(dict(G.degree()).values())",), low=1),
    ColumnSpec("min_degree", "degrees", "smallest degree", ("min(dict(G.degree()).values())",), low=1),
    ColumnSpec("degree_std", "degrees", "standard deviation of the degree"),
    ColumnSpec(
        "degree_moment_ratio", "degrees", "mean of k² over mean of k: the mean degree of a random edge's end", low=1
    ),
    ColumnSpec("mean_log_degree", "degrees", "mean of log k"),
    ColumnSpec("mean_inverse_degree", "degrees", "mean of 1/k", high=1),
    ColumnSpec("leaves", "degrees", "number of nodes of degree one"),
    *_DECILES,
    ColumnSpec("triangles", "triangles", "number of triangles", ("sum(nx.triangles(G).values()) / 3",)),
    ColumnSpec(
        "clustering_coefficient", "triangles", "average clustering coefficient", ("nx.average_clustering(G)",), high=1
    ),
    ColumnSpec("transitivity", "triangles", "closed share of the paths of length two", ("nx.transitivity(G)",), high=1),
    ColumnSpec(
        "degree_assortativity",
        "triangles",
        "correlation of the degrees at the two ends of an edge; 0 where all degrees are equal",
        ("nx.degree_assortativity_coefficient(G)", "nx.degree_pearson_correlation_coefficient(G)"),
        low=-1,
        high=1,
    ),
    ColumnSpec("two_hop_share", "two_hop", "share of the ordered pairs of nodes at distance exactly two", high=1),
    ColumnSpec("mean_second_neighbors", "two_hop", "mean number of nodes at distance exactly two"),
    ColumnSpec("spectral_radius", "spectrum", "largest eigenvalue of the adjacency matrix", low=1),
    ColumnSpec(
        "algebraic_connectivity",
        "spectrum",
        "second smallest eigenvalue of the Laplacian",
        ("nx.algebraic_connectivity(G)",),
    ),
    ColumnSpec("laplacian_radius", "spectrum", "largest eigenvalue of the Laplacian", low=2),
    ColumnSpec("normalized_connectivity", "spectrum", "second smallest eigenvalue of the normalised Laplacian", high=2),
    ColumnSpec("mean_resistance", "spectrum", "mean effective resistance over the pairs of nodes"),
    ColumnSpec("log_trees_per_node", "spectrum", "log of the number of spanning trees, over n"),
    ColumnSpec("energy_per_node", "spectrum", "sum of the absolute eigenvalues of the adjacency matrix, over n"),
    ColumnSpec("log_estrada_per_node", "spectrum", "log of the sum of exp(eigenvalue), over n"),
)

OWN = "own_"
"""What the names of the user's columns begin with, so that no formula mistakes them for anything else."""

COLUMN_NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

SPELLINGS: dict[str, str] = {
    spelling: column.name for column in COLUMNS for spelling in (f"{column.name}(G)", *column.spellings)
}
"""Every accepted spelling of a column, with the argument called `G`, and the column's name."""


def get_columns_up_to(level: Level) -> tuple[str, ...]:
    """Return the names of the level's columns, those of the levels before it included."""
    known = LEVELS[: LEVELS.index(level) + 1]
    return tuple(column.name for column in COLUMNS if column.level in known)

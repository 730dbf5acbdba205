"""Targets that are neither columns nor among the distance quantities, each by the library that is fastest at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evograft_graph_invariant.conjectures.invariants.exact import EXACT
from evograft_graph_invariant.graphs.distances import compute_distance_quantities
from evograft_graph_invariant.graphs.features import build_adjacency_matrix, compute_columns
from evograft_graph_invariant.graphs.generators import Edges


def compute_harary_index(n: int, edges: Edges) -> float:
    return compute_distance_quantities(n, edges)["global_efficiency"] * n * (n - 1) / 2


def compute_max_betweenness(n: int, edges: Edges) -> float:
    pairs = (n - 1) * (n - 2) / 2
    return max(_to_igraph(n, edges).betweenness()) / pairs if pairs else 0.0


def compute_energy(n: int, edges: Edges) -> float:
    return n * compute_columns(n, edges, ("energy_per_node",))["energy_per_node"]


def compute_kirchhoff_index(n: int, edges: Edges) -> float:
    return compute_columns(n, edges, ("mean_resistance",))["mean_resistance"] * n * (n - 1) / 2


def compute_randic_index(n: int, edges: Edges) -> float:
    degrees = np.bincount(edges.ravel(), minlength=n)
    return float((1 / np.sqrt(degrees[edges[:, 0]] * degrees[edges[:, 1]])).sum())


def compute_degeneracy(n: int, edges: Edges) -> float:
    return float(max(_to_igraph(n, edges).coreness()))


def compute_matching_number(n: int, edges: Edges) -> float:
    import rustworkx

    return float(len(rustworkx.max_weight_matching(_to_rustworkx(n, edges), max_cardinality=True)))


def compute_edge_connectivity(n: int, edges: Edges) -> float:
    import rustworkx

    cut = rustworkx.stoer_wagner_min_cut(_to_rustworkx(n, edges))
    return 0.0 if cut is None else float(cut[0])


def compute_node_connectivity(n: int, edges: Edges) -> float:
    return float(_to_igraph(n, edges).vertex_connectivity())


def compute_clique_number(n: int, edges: Edges) -> float:
    return float(_to_igraph(n, edges).clique_number())


def _to_igraph(n: int, edges: Edges) -> Any:
    import igraph

    return igraph.Graph(n=n, edges=edges.tolist())


def _to_rustworkx(n: int, edges: Edges) -> Any:
    import rustworkx

    graph: Any = rustworkx.PyGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from_no_data(list(map(tuple, edges.tolist())))
    return graph


def _search_exactly(name: str) -> Callable[[int, Edges], float]:
    return lambda n, edges: float(EXACT[name](build_adjacency_matrix(n, edges) > 0))


COMPUTED: dict[str, Callable[[int, Edges], float]] = {
    "harary_index": compute_harary_index,
    "max_betweenness": compute_max_betweenness,
    "energy": compute_energy,
    "kirchhoff_index": compute_kirchhoff_index,
    "randic_index": compute_randic_index,
    "degeneracy": compute_degeneracy,
    "matching_number": compute_matching_number,
    "edge_connectivity": compute_edge_connectivity,
    "node_connectivity": compute_node_connectivity,
    "clique_number": compute_clique_number,
    **{
        name: _search_exactly(name)
        for name in (
            "independence_number",
            "chromatic_number",
            "domination_number",
            "total_domination_number",
            "independent_domination_number",
        )
    },
}
"""Each by its name."""

"""The functions of networkx that candidates may call, and the answers that are known before they ask.

A list of what is offered, not of what is forbidden: networkx has dozens of roads to a distance. What a candidate could
never use is not offered either: `communicability` and `node_connectivity` take longer than any limit, `katz_centrality`
converges on sparse graphs only.
"""

from __future__ import annotations

from evograft_graph_invariant.graphs.targets import find_target
from evograft_graph_invariant.graphs.vocabulary import LEVELS, Level

_PLAIN = [
    "number_of_nodes",
    "number_of_edges",
    "density",
    "nodes",
    "edges",
    "neighbors",
    "all_neighbors",
    "non_neighbors",
    "non_edges",
    "common_neighbors",
    "degree",
    "degree_histogram",
    "selfloop_edges",
    "is_empty",
    "is_connected",
    "is_directed",
    "is_bipartite",
    "is_forest",
    "is_tree",
    "is_regular",
    "connected_components",
    "number_connected_components",
    "node_connected_component",
    "complement",
    "subgraph",
    "induced_subgraph",
    "to_numpy_array",
    "to_scipy_sparse_array",
    "adjacency_matrix",
    "incidence_matrix",
    "to_dict_of_lists",
    "to_edgelist",
    "to_undirected",
    "freeze",
    "Graph",
    "empty_graph",
    "isolates",
    "number_of_isolates",
    "greedy_color",
    "maximal_matching",
    "maximal_independent_set",
    "relabel_nodes",
    "convert_node_labels_to_integers",
    "create_empty_copy",
]

_BY_LEVEL: dict[Level, list[str]] = {
    "size": _PLAIN,
    "degrees": [
        "average_neighbor_degree",
        "average_degree_connectivity",
        "core_number",
        "k_core",
        "k_shell",
        "k_crust",
        "onion_layers",
        "s_metric",
        "degree_mixing_matrix",
        "degree_mixing_dict",
        "degree_centrality",
    ],
    "triangles": [
        "triangles",
        "all_triangles",
        "clustering",
        "average_clustering",
        "transitivity",
        "generalized_degree",
        "k_truss",
        "degree_assortativity_coefficient",
        "degree_pearson_correlation_coefficient",
        "rich_club_coefficient",
        "find_cliques",
        "node_clique_number",
        "enumerate_all_cliques",
    ],
    "two_hop": [
        "square_clustering",
        "jaccard_coefficient",
        "adamic_adar_index",
        "resource_allocation_index",
        "preferential_attachment",
        "common_neighbor_centrality",
        "dispersion",
        "constraint",
        "effective_size",
        "local_constraint",
    ],
    "spectrum": [
        "articulation_points",
        "biconnected_components",
        "bridges",
        "has_bridges",
        "is_biconnected",
        "adjacency_spectrum",
        "laplacian_spectrum",
        "normalized_laplacian_spectrum",
        "algebraic_connectivity",
        "fiedler_vector",
        "laplacian_matrix",
        "normalized_laplacian_matrix",
        "modularity_matrix",
        "modularity_spectrum",
        "bethe_hessian_matrix",
        "bethe_hessian_spectrum",
        "eigenvector_centrality",
        "eigenvector_centrality_numpy",
        "katz_centrality_numpy",
        "pagerank",
        "hits",
        "google_matrix",
        "estrada_index",
        "subgraph_centrality",
        "subgraph_centrality_exp",
        "communicability_exp",
        "resistance_distance",
        "effective_graph_resistance",
        "kemeny_constant",
        "number_of_spanning_trees",
        "spectral_ordering",
    ],
}

_OF_THE_LAPLACIAN = frozenset(
    [
        "laplacian_spectrum",
        "algebraic_connectivity",
        "fiedler_vector",
        "laplacian_matrix",
        "resistance_distance",
        "effective_graph_resistance",
        "number_of_spanning_trees",
        "spectral_ordering",
    ]
)

_OF_THE_ADJACENCY = frozenset(
    [
        "adjacency_spectrum",
        "eigenvector_centrality",
        "eigenvector_centrality_numpy",
        "estrada_index",
        "subgraph_centrality",
        "subgraph_centrality_exp",
        "communicability_exp",
    ]
)
_OF_CLIQUES = frozenset(["find_cliques", "node_clique_number", "enumerate_all_cliques"])

_YIELDING: dict[str, frozenset[str]] = {
    # Katz indices, dispersion of paths and the like count walks, which are no distances.
    "average_shortest_path_length": frozenset({"common_neighbor_centrality"}),
    "algebraic_connectivity": _OF_THE_LAPLACIAN,
    "spectral_radius": _OF_THE_ADJACENCY,
    "normalized_connectivity": frozenset({"normalized_laplacian_spectrum", "normalized_laplacian_matrix"}),
    "triangles": frozenset(
        ["triangles", "all_triangles", "clustering", "average_clustering", "transitivity", "generalized_degree"]
    ),
    "degree_assortativity": frozenset(
        [
            "degree_assortativity_coefficient",
            "degree_pearson_correlation_coefficient",
            "degree_mixing_matrix",
            "degree_mixing_dict",
        ]
    ),
    "edge_connectivity": frozenset(["bridges", "has_bridges"]),
    "node_connectivity": frozenset(["articulation_points", "biconnected_components", "is_biconnected"]),
    "degeneracy": frozenset(["core_number", "k_core", "k_shell", "k_crust", "onion_layers"]),
    "clique_number": _OF_CLIQUES,
    "independence_number": _OF_CLIQUES,
}
"""By a quantity that is forbidden, the functions that yield it."""


def list_offered_functions(target: str, level: Level) -> frozenset[str]:
    """Return the names that candidates find in `nx`."""
    known = LEVELS[: LEVELS.index(level) + 1]
    names = frozenset(name for step in known for name in _BY_LEVEL[step])
    forbidden = (_YIELDING.get(name, frozenset()) for name in find_target(target).forbidden)
    return names.difference(*forbidden)


def explain_refusal(name: str, target: str) -> str:
    """Return why a function is not offered."""
    for quantity in find_target(target).forbidden:
        if name in _YIELDING.get(quantity, frozenset()):
            return f"it yields {quantity}, which may not be used here"
    for step, names in _BY_LEVEL.items():
        if name in names:
            return f"it belongs to level {step}"
    return f"of networkx, only what is quick and cannot yield {target} may be called"


def offers_linear_algebra(level: Level) -> bool:
    """Whether `numpy.linalg` may be used, whose eigenvalues are columns of the highest level."""
    return level == LEVELS[-1]

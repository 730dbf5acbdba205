from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

from evograft_graph_invariant.evaluation.data_splits import SPECIAL_TOPOLOGY
from evograft_graph_invariant.graphs.datasets import load_set
from evograft_graph_invariant.graphs.distances import compute_distance_quantities
from evograft_graph_invariant.graphs.features import compute_columns
from evograft_graph_invariant.graphs.generators import rename_nodes, to_networkx
from evograft_graph_invariant.graphs.targets import (
    DISTANCE_QUANTITIES,
    LAPLACIAN_COLUMNS,
    get_allowed_columns,
    get_reference_invariants,
)
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES, COLUMNS, LEVELS, get_columns_up_to


def degrees(graph):
    return np.array([d for _, d in graph.degree()], dtype=float)


def two_hop(graph):
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    return sum(d == 2 for row in lengths.values() for d in row.values())


def assortativity(graph):
    return 0.0 if len(set(degrees(graph))) == 1 else nx.degree_pearson_correlation_coefficient(graph)


def laplacian(graph):
    return np.linalg.eigvalsh(nx.laplacian_matrix(graph).toarray().astype(float))


def adjacency(graph):
    return np.linalg.eigvalsh(nx.to_numpy_array(graph))


def trees(graph):
    return np.linalg.slogdet(nx.laplacian_matrix(graph).toarray()[1:, 1:].astype(float))[1]


REFERENCE = {
    "n": lambda g: g.number_of_nodes(),
    "m": lambda g: g.number_of_edges(),
    "density": nx.density,
    "average_degree": lambda g: degrees(g).mean(),
    "max_degree": lambda g: max(degrees(g)),
    "min_degree": lambda g: min(degrees(g)),
    "degree_std": lambda g: degrees(g).std(),
    "degree_moment_ratio": lambda g: (degrees(g) ** 2).mean() / degrees(g).mean(),
    "mean_log_degree": lambda g: np.log(degrees(g)).mean(),
    "mean_inverse_degree": lambda g: (1 / degrees(g)).mean(),
    "leaves": lambda g: sum(degrees(g) == 1),
    **{f"degree_decile_{i}": lambda g, i=i: np.percentile(degrees(g), 10 * i) for i in range(1, 10)},
    "triangles": lambda g: sum(nx.triangles(g).values()) / 3,
    "clustering_coefficient": nx.average_clustering,
    "transitivity": nx.transitivity,
    "degree_assortativity": assortativity,
    "two_hop_share": lambda g: two_hop(g) / (len(g) * (len(g) - 1)),
    "mean_second_neighbors": lambda g: two_hop(g) / len(g),
    "spectral_radius": lambda g: max(adjacency(g)),
    "algebraic_connectivity": lambda g: sorted(nx.laplacian_spectrum(g))[1],
    "laplacian_radius": lambda g: max(laplacian(g)),
    "normalized_connectivity": lambda g: sorted(np.linalg.eigvalsh(nx.normalized_laplacian_matrix(g).toarray()))[1],
    "mean_resistance": lambda g: nx.effective_graph_resistance(g) / (len(g) * (len(g) - 1) / 2),
    "log_trees_per_node": lambda g: trees(g) / len(g),
    "energy_per_node": lambda g: abs(adjacency(g)).sum() / len(g),
    "log_estrada_per_node": lambda g: math.log(nx.estrada_index(g)) / len(g),
}


def test_every_column_has_a_reference():
    assert set(REFERENCE) == set(COLUMN_NAMES)


@pytest.mark.parametrize("name", COLUMN_NAMES)
def test_a_column_equals_networkx(name, train):
    special = load_set(SPECIAL_TOPOLOGY, 0, folder=None)
    for found, chosen in ((train, range(10)), (special, range(len(special)))):
        for i in chosen:
            graph = to_networkx(range(found.sizes[i]), found.edges[i])
            expected = float(REFERENCE[name](graph))
            assert found.columns[name][i] == pytest.approx(expected, rel=1e-6, abs=1e-6), found.kinds[i]


def test_columns_and_distances_do_not_depend_on_names(train):
    for i in range(5):
        _, renamed = rename_nodes(train.sizes[i], train.edges[i], seed=i)
        for compute in (compute_columns, compute_distance_quantities):
            first, second = compute(train.sizes[i], train.edges[i]), compute(train.sizes[i], renamed)
            assert first == pytest.approx(second, rel=1e-9, abs=1e-9)


def test_distance_quantities_equal_networkx(train, train_distances):
    for i in range(10):
        graph = to_networkx(range(train.sizes[i]), train.edges[i])
        lengths = [d for row in dict(nx.all_pairs_shortest_path_length(graph)).values() for d in row.values()]
        pairs = len(graph) * (len(graph) - 1)
        expected = {
            "average_shortest_path_length": nx.average_shortest_path_length(graph),
            "diameter": nx.diameter(graph),
            "radius": nx.radius(graph),
            "mean_eccentricity": np.mean(list(nx.eccentricity(graph).values())),
            "wiener_index": nx.wiener_index(graph),
            "mean_closeness": np.mean(list(nx.closeness_centrality(graph).values())),
            "global_efficiency": nx.global_efficiency(graph),
            "mean_betweenness": np.mean(list(nx.betweenness_centrality(graph).values())),
            "three_hop_share": lengths.count(3) / pairs,
            "beyond_two_share": sum(d > 2 for d in lengths) / pairs,
        }
        assert {name: train_distances[name][i] for name in DISTANCE_QUANTITIES} == pytest.approx(expected)


def test_each_level_includes_those_before_it():
    sizes = [len(get_columns_up_to(level)) for level in LEVELS]
    assert sizes == sorted(set(sizes))
    assert get_columns_up_to("spectrum") == tuple(column.name for column in COLUMNS)
    assert get_columns_up_to("size") == ("n", "m", "density", "average_degree")


def test_no_target_may_use_what_its_section_forbids():
    assert not set(get_allowed_columns("algebraic_connectivity", "spectrum")) & set(LAPLACIAN_COLUMNS)
    assert "normalized_connectivity" in get_allowed_columns("algebraic_connectivity", "spectrum")
    assert not set(get_allowed_columns("average_shortest_path_length", "spectrum")) & set(DISTANCE_QUANTITIES)


def test_a_target_is_no_reference_for_itself():
    assert "algebraic_connectivity" not in get_reference_invariants("algebraic_connectivity")
    assert len(get_reference_invariants("average_shortest_path_length")) == 9

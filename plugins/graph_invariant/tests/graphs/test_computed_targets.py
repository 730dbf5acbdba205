"""Each target beside another library, or beside trying everything."""

from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.graphs.computed_targets import COMPUTED
from evograft_graph_invariant.graphs.datasets import RandomSet, load_set
from evograft_graph_invariant.graphs.distances import compute_distance_quantities
from evograft_graph_invariant.graphs.generators import find_largest_component
from evograft_graph_invariant.graphs.targets import DISTANCE_QUANTITIES, TARGETS
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES


def is_independent(graph, nodes):
    return not graph.subgraph(nodes).number_of_edges()


def reached(graph, nodes):
    return set().union(*(graph[node] for node in nodes))


def is_dominating(graph, nodes):
    return reached(graph, nodes) | set(nodes) == set(graph)


def sizes(graph, is_such):
    return [k for k in range(len(graph) + 1) for nodes in combinations(graph, k) if is_such(graph, nodes)]


def count_colors(graph):
    for colors in range(1, len(graph) + 1):
        for chosen in product(range(colors), repeat=len(graph)):
            if all(chosen[u] != chosen[v] for u, v in graph.edges()):
                return colors
    raise AssertionError


OTHERS = {
    "harary_index": lambda g: nx.global_efficiency(g) * len(g) * (len(g) - 1) / 2,
    "max_betweenness": lambda g: max(nx.betweenness_centrality(g).values()),
    "energy": lambda g: np.abs(nx.adjacency_spectrum(g)).sum(),
    "kirchhoff_index": nx.effective_graph_resistance,
    "randic_index": lambda g: sum((g.degree(u) * g.degree(v)) ** -0.5 for u, v in g.edges()),
    "degeneracy": lambda g: max(nx.core_number(g).values()),
    "matching_number": lambda g: len(nx.max_weight_matching(g, maxcardinality=True)),
    "edge_connectivity": nx.edge_connectivity,
    "node_connectivity": nx.node_connectivity,
    "clique_number": lambda g: max(map(len, nx.find_cliques(g))),
    "independence_number": lambda g: max(sizes(g, is_independent)),
    "chromatic_number": count_colors,
    "domination_number": lambda g: min(sizes(g, is_dominating)),
    "total_domination_number": lambda g: min(sizes(g, lambda g, nodes: nodes and reached(g, nodes) == set(g))),
    "independent_domination_number": lambda g: min(
        sizes(g, lambda g, nodes: is_independent(g, nodes) and is_dominating(g, nodes))
    ),
    "diameter": nx.diameter,
    "radius": nx.radius,
    "wiener_index": nx.wiener_index,
    "average_shortest_path_length": nx.average_shortest_path_length,
    "global_efficiency": nx.global_efficiency,
    "mean_closeness": lambda g: np.mean(list(nx.closeness_centrality(g).values())),
    "mean_eccentricity": lambda g: np.mean(list(nx.eccentricity(g).values())),
}


@st.composite
def graphs(draw):
    graph = nx.gnp_random_graph(draw(st.integers(3, 7)), draw(st.floats(0.2, 1)), seed=draw(st.integers(0, 10**6)))
    n, edges = find_largest_component(graph)
    return (n, edges) if n > 1 else (2, np.array([[0, 1]], dtype=np.int32))


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=15, deadline=None)
@given(drawn=graphs())
def test_a_target_is_what_another_way_computes(name, drawn):
    n, edges = drawn
    found = COMPUTED[name](n, edges) if name in COMPUTED else compute_distance_quantities(n, edges)[name]
    assert found == pytest.approx(OTHERS[name](nx.Graph(edges.tolist())), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["matching_number", "edge_connectivity", "clique_number", "degeneracy"])
def test_libraries_agree_on_graphs_of_the_searchs_sizes(name):
    graphs = load_set(RandomSet("train", 5, (30, 60), minimum=20), 3, folder=None, columns=())
    for n, edges in zip(graphs.sizes, graphs.edges, strict=True):
        assert COMPUTED[name](n, edges) == OTHERS[name](nx.Graph(edges.tolist()))


def test_at_least_twenty_targets_are_offered_and_each_is_known_of_every_graph():
    known = {*COLUMN_NAMES, *DISTANCE_QUANTITIES, *COMPUTED}
    assert len(TARGETS) >= 20
    assert set(TARGETS) <= known
    assert all(name in target.forbidden for name, target in TARGETS.items())


def test_the_independence_number_is_what_igraph_finds():
    igraph = pytest.importorskip("igraph")
    graphs = load_set(RandomSet("train", 5, (20, 30), minimum=10), 3, folder=None, columns=())
    for n, edges in zip(graphs.sizes, graphs.edges, strict=True):
        found = igraph.Graph(n=n, edges=edges.tolist()).independence_number()
        assert COMPUTED["independence_number"](n, edges) == found

"""What is computed for many graphs at once is what other programs compute for each."""

import networkx as nx
import numpy as np
import pytest

from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_graph_invariant.conjectures.invariants.exact import EXACT
from evograft_graph_invariant.conjectures.invariants.properties import compute_properties
from evograft_graph_invariant.conjectures.pools.enumeration import enumerate_connected
from evograft_graph_invariant.conjectures.pools.stack import stack_graphs, to_graph
from evograft_graph_invariant.conjectures.table import compute_invariants

NETWORKX = {
    "n": len,
    "m": nx.number_of_edges,
    "density": nx.density,
    "triangles": lambda g: sum(nx.triangles(g).values()) / 3,
    "diameter": nx.diameter,
    "radius": nx.radius,
    "average_shortest_path_length": nx.average_shortest_path_length,
    "wiener_index": nx.wiener_index,
    "spectral_radius": lambda g: max(nx.adjacency_spectrum(g).real),
    "algebraic_connectivity": lambda g: sorted(nx.laplacian_spectrum(g))[1],
    "laplacian_radius": lambda g: max(nx.laplacian_spectrum(g)),
    "kirchhoff_index": nx.effective_graph_resistance,
    "clique_number": lambda g: max(map(len, nx.find_cliques(g))),
    "independence_number": lambda g: max(map(len, nx.find_cliques(nx.complement(g)))),
    "matching_number": lambda g: len(nx.max_weight_matching(g, maxcardinality=True)),
    "node_connectivity": nx.node_connectivity,
    "edge_connectivity": nx.edge_connectivity,
}
OF_NETWORKX = {
    "tree": nx.is_tree,
    "bipartite": nx.is_bipartite,
    "chordal": nx.is_chordal,
    "planar": nx.is_planar,
    "regular": nx.is_regular,
    "eulerian": nx.is_eulerian,
    "two_connected": lambda g: len(g) > 2 and nx.is_biconnected(g),
    "diameter_two": lambda g: nx.diameter(g) <= 2,
}


@pytest.fixture(scope="module")
def six():
    """Every third connected graph of six nodes."""
    return next(stack for stack in enumerate_connected(6) if stack.order == 6).adjacency[::3]


@pytest.mark.parametrize("name", NETWORKX)
def test_an_invariant_is_what_networkx_computes(six, name):
    found = compute_invariants(six, [name])[name]
    assert found == pytest.approx([float(NETWORKX[name](to_graph(each))) for each in six])


@pytest.mark.parametrize("name", EXACT)
def test_all_sets_of_nodes_and_single_graphs_agree(six, name):
    graphs = six[::4]
    assert compute_invariants(graphs, [name])[name].tolist() == [EXACT[name](each) for each in graphs]


@pytest.mark.parametrize("name", ["independence_number", *(name for name in EXACT if "domination" in name)])
def test_branching_and_integer_programs_agree_on_graphs_of_twenty_nodes(name, monkeypatch):
    graphs = [nx.random_labeled_tree(20, seed=1), nx.gnp_random_graph(20, 0.3, seed=2), nx.cubical_graph()]
    matrices = [nx.to_numpy_array(each) > 0 for each in graphs]
    branched = [EXACT[name](each) for each in matrices]
    monkeypatch.setattr("evograft_graph_invariant.conjectures.invariants.exact.BRANCHED", 0)
    assert [EXACT[name](each) for each in matrices] == branched


@pytest.mark.parametrize(("graph", "number"), [(nx.path_graph(5), 1), (nx.cycle_graph(5), 2), (nx.star_graph(4), 3)])
def test_zero_forcing_by_a_shortest_path(graph, number):
    (stack,) = stack_graphs("one", [graph])
    assert EXACT["zero_forcing_number"](stack.adjacency[0]) == number
    assert compute_invariants(stack.adjacency, ["zero_forcing_number"])["zero_forcing_number"].tolist() == [number]


@pytest.mark.parametrize(
    ("graph", "number"),
    [
        (nx.star_graph(19), 18),
        (nx.complete_bipartite_graph(10, 10), 18),
        (nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5)), 4),
        (nx.convert_node_labels_to_integers(nx.hypercube_graph(4)), 8),
        (nx.complete_graph(20), 19),
    ],
    ids=["star", "bipartite", "grid", "hypercube", "complete"],
)
def test_the_zero_forcing_number_of_graphs_of_twenty_nodes_is_what_is_proved(graph, number):
    assert EXACT["zero_forcing_number"](nx.to_numpy_array(graph) > 0) == number


def test_known_values_of_the_petersen_graph():
    (stack,) = stack_graphs("one", [nx.petersen_graph()])
    found = {name: values[0] for name, values in compute_invariants(stack.adjacency).items()}
    expected = {
        "independence_number": 4,
        "clique_number": 2,
        "chromatic_number": 3,
        "matching_number": 5,
        "domination_number": 3,
        "total_domination_number": 4,
        "independent_domination_number": 3,
        "zero_forcing_number": 5,
        "node_connectivity": 3,
        "residue": 3,
        "annihilation_number": 5,
        "energy": 16,
        "randic_index": 5,
        "harmonic_index": 5,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("name", OF_NETWORKX)
def test_a_property_is_what_networkx_decides(six, name):
    found = compute_properties(six, (name,))[name]
    assert found.tolist() == [OF_NETWORKX[name](to_graph(each)) for each in six]


def test_every_name_is_computed(six):
    assert tuple(compute_invariants(six[:2])) == INVARIANT_NAMES
    assert tuple(compute_properties(six[:2])) == PROPERTY_NAMES


def test_all_values_on_connected_graphs_are_finite(six):
    assert all(np.isfinite(values).all() for values in compute_invariants(six).values())

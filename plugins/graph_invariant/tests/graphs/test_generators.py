from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from evograft_graph_invariant.evaluation.data_splits import SPECIAL_TOPOLOGY, get_ood_sets
from evograft_graph_invariant.graphs.datasets import load_set, make_random_set
from evograft_graph_invariant.graphs.generators import (
    EXTREME_KINDS,
    KINDS,
    draw_graph,
    find_largest_component,
    rename_nodes,
    to_networkx,
)
from evograft_graph_invariant.options import GraphInvariantOptions

RANGES = {
    "ER": {"p": (0.05, 0.3)},
    "BA": {"m": (1, 4)},
    "WS": {"k": (4, 8), "p": (0.1, 0.5)},
    "RGG": {"r": (0.1, 0.4)},
    "SBM": {"p_in_0": (0.15, 0.4), "p_in_1": (0.15, 0.4), "p_in_2": (0.15, 0.4), "p_out": (0.01, 0.08)},
    "dense_ER": {"p": (0.4, 0.7)},
    "sparse_ER": {"p": (0.01, 0.04)},
    "dense_BA": {"m": (8, 15)},
    "ring_WS": {"k": (2, 2), "p": (0.01, 0.1)},
}


def graphs(found):
    return [to_networkx(range(n), edges) for n, edges in zip(found.sizes, found.edges, strict=True)]


def test_every_graph_is_connected_simple_and_within_the_sizes(train):
    for graph, n in zip(graphs(train), train.sizes, strict=True):
        assert 30 <= n <= 100
        assert nx.is_connected(graph)
        assert nx.number_of_selfloops(graph) == 0
        assert sorted(graph) == list(range(n))


def test_the_five_kinds_have_equal_shares_in_turn(train):
    assert train.kinds == KINDS * 10


@pytest.mark.parametrize("kind", [*KINDS, *EXTREME_KINDS])
def test_parameters_stay_within_their_ranges_and_reach_both_ends_of_integer_ones(kind):
    drawn = [draw_graph(seed, kind, sizes=(50, 60), minimum=2).parameters for seed in range(40)]
    for name, (low, high) in RANGES[kind].items():
        values = [parameters[name] for parameters in drawn]
        assert all(low <= value <= high for value in values)
        if isinstance(low, int):
            assert {min(values), max(values)} == {low, high}
    assert set(drawn[0]) == {"N", *RANGES[kind]}


def test_a_small_largest_component_is_drawn_again_parameters_included():
    redrawn = [draw_graph(seed, "sparse_ER", sizes=(60, 80), minimum=60) for seed in range(5)]
    assert all(graph.n >= 60 for graph in redrawn)
    assert any(graph.redraws for graph in redrawn)


@pytest.mark.parametrize(("sizes", "minimum"), [((30, 100), 30), ((100, 1000), 30), ((200, 500), 30), ((10, 20), 10)])
def test_a_component_of_thirty_nodes_is_enough_however_large_the_draw_was(sizes, minimum):
    assert make_random_set("any", 5, sizes).minimum == minimum


def test_a_component_that_is_smaller_than_any_draw_is_kept():
    spec = make_random_set("extra_test", 30, (100, 110))
    drawn = [draw_graph(seed, "RGG", sizes=spec.sizes, minimum=spec.minimum) for seed in range(spec.count)]
    assert any(30 <= graph.n < 100 and not graph.redraws for graph in drawn)


def test_the_same_seed_gives_the_same_graph():
    first, second = (draw_graph(3, "RGG", sizes=(30, 100), minimum=30) for _ in range(2))
    assert first.parameters == second.parameters
    assert np.array_equal(first.edges, second.edges)


def test_a_splits_size_changes_neither_its_other_graphs_nor_another_split():
    short = load_set(make_random_set("train", 10, (30, 60)), 1, folder=None)
    long = load_set(make_random_set("train", 15, (30, 60)), 1, folder=None)
    other = load_set(make_random_set("validation", 10, (30, 60)), 1, folder=None)
    assert long.drawn[:10] == short.drawn
    assert all(np.array_equal(a, b) for a, b in zip(short.edges, long.edges, strict=False))
    assert not {about["seed"] for about in other.drawn} & {about["seed"] for about in long.drawn}


def test_another_master_seed_gives_other_graphs():
    first, second = (load_set(make_random_set("train", 5, (30, 60)), seed, folder=None) for seed in (1, 2))
    assert first.drawn != second.drawn


def test_extreme_parameters_come_in_turn_and_keep_small_components():
    found = load_set(get_ood_sets(GraphInvariantOptions())[1], 1, folder=None)
    assert found.kinds[:4] == EXTREME_KINDS
    assert len(found) == 50
    assert all(nx.is_connected(graph) for graph in graphs(found))
    assert min(found.sizes) < 50


def test_special_topologies_are_the_eighteen_named_ones():
    found = load_set(SPECIAL_TOPOLOGY, 1, folder=None)
    assert len(found) == 18
    sizes = dict(zip(found.kinds, zip(found.sizes, map(len, found.edges), strict=True), strict=True))
    assert sizes["barbell(20,5)"] == (45, 386)
    assert sizes["petersen"] == (10, 15)
    assert sizes["karate_club"] == (34, 78)
    assert sizes["complete(50)"] == (50, 1225)
    assert sizes["random_regular(6,50)"] == (50, 150)


def test_the_largest_component_loses_loops_parallel_edges_and_names():
    graph = nx.MultiGraph([("a", "b"), ("b", "a"), ("a", "a"), ("b", "c"), ("x", "y")])
    n, edges = find_largest_component(graph)
    assert n == 3
    assert edges.tolist() == [[0, 1], [1, 2]]


def test_renaming_keeps_the_graph_and_changes_names_and_order():
    n, edges = find_largest_component(nx.karate_club_graph())
    nodes, renamed = rename_nodes(n, edges, seed=1)
    other = to_networkx(nodes, renamed)
    assert list(other) != list(range(n))
    assert nx.is_isomorphic(to_networkx(range(n), edges), other)

"""Views that know their answers give those of networkx, and copies of a graph have views of their own."""

from __future__ import annotations

import copy

import networkx as nx
import pytest

from evograft_graph_invariant.graphs.generators import rename_nodes, to_networkx
from evograft_graph_invariant.graphs.graph_views import install_views


@pytest.fixture(params=["as it was drawn", "renamed"])
def pair(request, train):
    """A graph that knows its views, and its equal that does not."""
    n, edges = train.sizes[0], train.edges[0]
    nodes, edges = (range(n), edges) if request.param == "as it was drawn" else rename_nodes(n, edges, seed=1)
    graph = nx.freeze(to_networkx(nodes, edges))
    install_views(graph)
    return graph, to_networkx(nodes, edges)


ANSWERS = {
    "all edges": lambda g: list(g.edges()),
    "edges without a call": lambda g: list(g.edges),
    "edges with data": lambda g: list(g.edges(data=True)),
    "edges with a default": lambda g: list(g.edges(data="weight", default=1)),
    "edges of some nodes": lambda g: list(g.edges([1, 2])),
    "edges of a node": lambda g: list(g.edges(1)),
    "number of edges": lambda g: (len(g.edges), g.number_of_edges(), g.size()),
    "membership": lambda g: [(u, v) in g.edges for u in range(5) for v in range(5)],
    "sets of edges": lambda g: (g.edges & {(0, 1), (1, 0)}, len(g.edges | {(0, 0)}), g.edges - set(g.edges)),
    "data of an edge": lambda g: g.edges[next(iter(g.edges))],
    "edges as text": lambda g: str(g.edges),
    "all degrees": lambda g: list(g.degree()),
    "degrees without a call": lambda g: (dict(g.degree), len(g.degree), str(g.degree)),
    "degree of a node": lambda g: [(g.degree(u), g.degree[u]) for u in g],
    "degrees of some nodes": lambda g: (dict(g.degree([1, 2])), dict(g.degree((1, 2))), dict(g.degree({3}))),
    "degrees of no node": lambda g: dict(g.degree([])),
    "weighted degrees": lambda g: (dict(g.degree(weight="w")), g.degree(1, weight="w"), g.degree(weight="w")(1)),
    "a function of networkx": lambda g: (nx.degree_histogram(g), nx.average_neighbor_degree(g), nx.core_number(g)),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_a_known_view_answers_as_networkx_does(pair, answer):
    known, plain = pair
    assert answer(known) == answer(plain)


@pytest.mark.parametrize("ask", [lambda g: g.degree(999), lambda g: g.degree[999], lambda g: g.edges[0, 999]])
def test_what_is_not_in_the_graph_raises_as_in_networkx(pair, ask):
    errors = []
    for graph in pair:
        with pytest.raises((KeyError, nx.NetworkXError)) as caught:
            ask(graph)
        errors.append((caught.type, str(caught.value)))
    assert errors[0] == errors[1]


@pytest.mark.parametrize("make", [nx.Graph, lambda g: g.copy(), lambda g: nx.relabel_nodes(g, {}, copy=True)])
def test_a_copy_that_is_changed_has_views_of_its_own(pair, make):
    known, _ = pair
    copied = make(known)
    u, v = next(iter(known.edges))
    copied.remove_edge(u, v)
    assert copied.degree(u) == known.degree(u) - 1
    assert len(list(copied.edges)) == len(known.edges) - 1


def test_parts_and_deep_copies_of_a_graph_answer_for_themselves(pair):
    known, plain = pair
    part = list(known)[:10]
    assert list(known.subgraph(part).edges) == list(plain.subgraph(part).edges)
    assert list(known.subgraph(part).degree) == list(plain.subgraph(part).degree)
    deep = copy.deepcopy(known)
    assert (list(deep.edges), list(deep.degree)) == (list(plain.edges), list(plain.degree))


def test_weights_that_a_program_sets_count(pair):
    known, _ = pair
    u, v = next(iter(known.edges))
    known.edges[u, v]["w"] = 5
    assert known.degree(u, weight="w") == known.degree(u) + 4

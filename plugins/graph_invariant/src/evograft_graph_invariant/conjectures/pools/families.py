"""Families of graphs on which bounds are often sharp or wrong: paths, brooms, kites, Kneser graphs and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import networkx as nx

from evograft_graph_invariant.conjectures.pools.stack import GraphStack, stack_graphs
from evograft_graph_invariant.graphs.generators import Graph

FAMILIES = "families"
SMALLEST = 9
"""Smaller members are among all connected graphs."""
LARGEST = 16


def build_families() -> Iterator[GraphStack]:
    """Yield the members of all families with 9 to 16 nodes, one stack for each order."""
    members = (graph for order in range(SMALLEST, LARGEST + 1) for graph in _members(order))
    yield from stack_graphs(FAMILIES, members)


def _members(order: int) -> Iterator[Graph]:
    yield from (make(order) for make in (nx.path_graph, nx.cycle_graph, nx.complete_graph, nx.wheel_graph))
    yield nx.star_graph(order - 1)
    for part in range(2, order - 2):
        yield broom(order, part)
        yield nx.lollipop_graph(part + 1, order - part - 1)
        yield kite_with_cycle(order, part + 1)
        yield nx.complete_bipartite_graph(part, order - part)
        yield nx.complete_multipartite_graph(*[1] * part, order - part)
        yield double_star(part, order - part - 2)
    for parts in range(3, order // 2 + 1):
        yield nx.turan_graph(order, parts)
    for jump in range(2, order // 2 + 1):
        yield nx.circulant_graph(order, [1, jump])
    yield from (graph for make in _EVEN for graph in _of_even_order(make, order))
    yield from _special(order)


def _of_even_order(make: Callable[[int], Graph], order: int) -> Iterator[Graph]:
    if order % 2 == 0:
        yield make(order // 2)


def _special(order: int) -> Iterator[Graph]:
    yield from (make() for make in _SPECIAL.get(order, ()))
    if order % 2:
        yield friendship(order // 2)
    if order % 3 == 0:
        yield nx.grid_2d_graph(3, order // 3)
    if order % 4 == 0:
        yield nx.grid_2d_graph(4, order // 4)


def broom(order: int, handle: int) -> Graph:
    """Return a path of this many nodes whose end has all other nodes as leaves."""
    graph: Graph = nx.path_graph(handle)
    graph.add_edges_from((handle - 1, leaf) for leaf in range(handle, order))
    return graph


def kite_with_cycle(order: int, cycle: int) -> Graph:
    """Return a cycle with a path at one of its nodes."""
    graph: Graph = nx.cycle_graph(cycle)
    nx.add_path(graph, [0, *range(cycle, order)])
    return graph


def double_star(left: int, right: int) -> Graph:
    """Return two adjacent centres with these numbers of leaves."""
    graph = nx.Graph([(0, 1)])
    graph.add_edges_from((0, 2 + leaf) for leaf in range(left))
    graph.add_edges_from((1, 2 + left + leaf) for leaf in range(right))
    return graph


def friendship(triangles: int) -> Graph:
    """Return triangles that share one node."""
    graph: Graph = nx.star_graph(2 * triangles)
    graph.add_edges_from((2 * i + 1, 2 * i + 2) for i in range(triangles))
    return graph


def corona(graph: Graph) -> Graph:
    """Return the graph with a leaf at each of its nodes."""
    leaves = nx.Graph((node, (node, "leaf")) for node in graph)
    found: Graph = nx.compose(graph, leaves)
    return found


def cocktail_party(pairs: int) -> Graph:
    """Return the complete graph without a perfect matching."""
    graph: Graph = nx.complete_multipartite_graph(*[2] * pairs)
    return graph


def crown(half: int) -> Graph:
    """Return the complete bipartite graph of equal parts without a perfect matching."""
    return nx.Graph((("a", i), ("b", j)) for i in range(half) for j in range(half) if i != j)


def kneser(ground: int, size: int) -> Graph:
    """Return the graph of the subsets of one size, two adjacent where they are disjoint."""
    subsets = [frozenset(each) for each in combinations(range(ground), size)]
    return nx.Graph((a, b) for a, b in combinations(subsets, 2) if not a & b)


_EVEN: tuple[Callable[[int], Graph], ...] = (
    cocktail_party,
    crown,
    nx.ladder_graph,
    nx.circular_ladder_graph,
    lambda half: corona(nx.complete_graph(half)),
    lambda half: corona(nx.cycle_graph(half)),
    lambda half: corona(nx.path_graph(half)),
    lambda half: nx.barbell_graph(half, 0),
    lambda half: nx.complement(nx.cycle_graph(2 * half)),
)

_SPECIAL: dict[int, tuple[Callable[[], Graph], ...]] = {
    10: (nx.petersen_graph,),
    11: (lambda: nx.mycielski_graph(4),),
    12: (nx.icosahedral_graph, nx.truncated_tetrahedron_graph, nx.frucht_graph),
    13: (lambda: nx.Graph(nx.paley_graph(13)),),
    14: (nx.heawood_graph,),
    15: (lambda: kneser(6, 2), lambda: nx.line_graph(nx.complete_graph(6)), lambda: nx.balanced_tree(2, 3)),
    16: (
        nx.moebius_kantor_graph,
        lambda: nx.hypercube_graph(4),
        lambda: nx.line_graph(nx.complete_bipartite_graph(4, 4)),
    ),
}

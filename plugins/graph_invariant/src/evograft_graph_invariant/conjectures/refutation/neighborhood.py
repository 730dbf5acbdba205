"""Variable neighbourhood search for graphs that violate a bound, as AutoGraphiX does it.

A graph is changed at one, two, … pairs of nodes, more each time nothing better is found, and the best of a sample of
neighbours is taken where it has less slack. Graphs without the properties of the hypothesis, and disconnected ones, are
passed over.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality, find_violated
from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME
from evograft_graph_invariant.conjectures.invariants.distances import find_connected
from evograft_graph_invariant.conjectures.invariants.properties import compute_properties
from evograft_graph_invariant.conjectures.invariants.subsets import LARGEST
from evograft_graph_invariant.conjectures.pools.stack import Adjacency, GraphStack
from evograft_graph_invariant.conjectures.table import InvariantTable, compute_invariants, tabulate
from evograft_graph_invariant.graphs.features import Vector

ORDERS = (10, 12, 14, 20, 30)
LARGEST_HARD = 20
"""Nodes of graphs whose best sets of nodes are looked for."""
SLOW = "zero_forcing_number"
"""The one invariant that takes ten milliseconds for a graph of 20 nodes; the others take less than one."""
SAMPLE = 48
"""Neighbours that are looked at together."""
DEEPEST = 4
"""Changes at a time, at most."""
SEARCHED = "counterexamples found before"


@dataclass(frozen=True)
class SearchOutcome:
    """What a search for a counterexample has found."""

    looked_at: dict[str, int]
    """Graphs with the hypothesis, by the number of nodes."""
    counterexample: InvariantTable | None


class NeighborhoodSearch:
    """The search for a graph that violates one bound."""

    def __init__(
        self, inequality: Inequality, rng: np.random.Generator, *, budget: int, orders: tuple[int, ...] = ORDERS
    ) -> None:
        """Prepare a search.

        Args:
            inequality: the bound.
            rng: all choices follow from it.
            budget: graphs that are looked at for each number of nodes.
            orders: the numbers of nodes, as far as the invariants can be computed in time.
        """
        self.inequality = inequality
        self.rng = rng
        self.budget = budget
        self.orders = orders

    def run(self) -> SearchOutcome:
        looked_at: dict[str, int] = {}
        for order in self._list_orders():
            count, found = self._search(order)
            looked_at[str(order)] = count
            if found is not None:
                return SearchOutcome(looked_at, tabulate(GraphStack(SEARCHED, found[None])))
        return SearchOutcome(looked_at, None)

    def _list_orders(self) -> tuple[int, ...]:
        """Return the numbers of nodes to search: fewer where an invariant asks for a best set of nodes."""
        if SLOW in self.inequality.invariants:
            return tuple(order for order in self.orders if order <= LARGEST)
        hard = any(BY_NAME[name].group == "subsets" for name in self.inequality.invariants)
        return tuple(order for order in self.orders if order <= LARGEST_HARD) if hard else self.orders

    def _search(self, order: int) -> tuple[int, Adjacency | None]:
        """Return how many graphs of one order were looked at, and one that violates the bound."""
        graphs = self._draw_starts(order)
        slack = self._measure(graphs)
        looked_at, drawn, depth = int(np.isfinite(slack).sum()), len(graphs), 1
        best, least = graphs[int(slack.argmin())], float(slack.min())
        while drawn < self.budget and least >= 0:
            graphs = self._draw_neighbors(best, depth)
            slack = self._measure(graphs)
            looked_at, drawn = looked_at + int(np.isfinite(slack).sum()), drawn + len(graphs)
            if slack.min() < least:
                best, least, depth = graphs[int(slack.argmin())], float(slack.min()), 1
            else:
                depth = depth % DEEPEST + 1
        return looked_at, best if least < 0 else None

    def _draw_starts(self, order: int) -> Adjacency:
        """Return trees with more and more edges added at random, and a few graphs of good shape."""
        drawn = [self._draw_tree_and_edges(order, share) for share in np.linspace(0, 0.9, SAMPLE)]
        shapes = [nx.path_graph(order), nx.cycle_graph(order), nx.star_graph(order - 1), nx.complete_graph(order)]
        shapes.append(nx.complete_bipartite_graph(order // 2, order - order // 2))
        if order % 2 == 0:
            shapes.append(nx.circular_ladder_graph(order // 2))
        return np.array([*drawn, *(nx.to_numpy_array(shape) > 0 for shape in shapes)])

    def _draw_tree_and_edges(self, order: int, share: float) -> Adjacency:
        graph = np.triu(self.rng.random((order, order)) < share**2, 1)
        for node in range(1, order):
            graph[self.rng.integers(node), node] = True
        found: Adjacency = graph | graph.T
        return found

    def _draw_neighbors(self, graph: Adjacency, depth: int) -> Adjacency:
        """Return copies with this many changes each: a pair is toggled, or an edge gets another end."""
        order = len(graph)
        copies = np.repeat(graph[None], SAMPLE, axis=0)
        for place in range(SAMPLE):
            for _ in range(depth):
                node, other, third = self.rng.choice(order, 3, replace=False)
                _toggle(copies[place], node, other)
                if self.rng.random() < 1 / 2 and copies[place, node, other] == copies[place, node, third]:
                    _toggle(copies[place], node, third)
        return copies

    def _measure(self, graphs: Adjacency) -> Vector:
        """Return the slack of each graph; infinite where the hypothesis or connectedness is missing."""
        usable = find_connected(graphs)
        for name in self.inequality.hypothesis:
            usable[usable] = compute_properties(graphs[usable], (name,))[name]
        slack = np.full(len(graphs), np.inf)
        if usable.any():
            columns = compute_invariants(graphs[usable], sorted(self.inequality.invariants))
            found = self.inequality.compute_slack(columns)
            slack[usable] = np.where(find_violated(found) & ~np.isfinite(found), -np.inf, found)
        return slack


def _toggle(graph: Adjacency, node: int, other: int) -> None:
    graph[node, other] = graph[other, node] = not graph[node, other]

"""The invariants of sets of nodes for single, larger graphs: igraph, rustworkx, branching and integer programs."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

import igraph
import numpy as np
import numpy.typing as npt
import rustworkx
from scipy.optimize import Bounds, LinearConstraint, milp

from evograft_graph_invariant.conjectures.invariants.bits import list_bits, pack_rows
from evograft_graph_invariant.conjectures.invariants.coloring import color
from evograft_graph_invariant.conjectures.pools.stack import Adjacency, to_rustworkx
from evograft_graph_invariant.graphs.features import Vector

Matrix = npt.NDArray[np.bool_]

BRANCHED = 24
"""Nodes up to which branching is sure to be fast: at 20 it takes a thirtieth of an integer program's time, or less."""


def compute_one_by_one(adjacency: Adjacency, names: tuple[str, ...]) -> dict[str, Vector]:
    """Compute the named invariants for one graph after another."""
    return {name: np.array([float(EXACT[name](graph)) for graph in adjacency]) for name in names}


def find_independence_number(graph: Matrix) -> int:
    if len(graph) <= BRANCHED:
        return find_clique_number(~graph & ~np.eye(len(graph), dtype=bool))
    return _choose(graph, _no_edge_twice(graph), sign=-1)


def find_clique_number(graph: Matrix) -> int:
    return int(_to_igraph(graph).clique_number())


def find_domination_number(graph: Matrix) -> int:
    if len(graph) <= BRANCHED:
        return _cover(pack_rows(_close(graph)), [0] * len(graph))
    return _choose(graph, (_cover_all(_close(graph)),))


def find_total_domination_number(graph: Matrix) -> int:
    if len(graph) <= BRANCHED:
        return _cover(pack_rows(graph), [0] * len(graph))
    return _choose(graph, (_cover_all(graph),))


def find_independent_domination_number(graph: Matrix) -> int:
    if len(graph) <= BRANCHED:
        return _cover(pack_rows(_close(graph)), pack_rows(graph))
    return _choose(graph, (_cover_all(_close(graph)), *_no_edge_twice(graph)))


def find_matching_number(graph: Matrix) -> int:
    return len(rustworkx.max_weight_matching(to_rustworkx(graph), max_cardinality=True))


def find_node_connectivity(graph: Matrix) -> int:
    return int(_to_igraph(graph).vertex_connectivity())


def find_edge_connectivity(graph: Matrix) -> int:
    return int(_to_igraph(graph).edge_connectivity())


def find_zero_forcing_number(graph: Matrix) -> int:
    """Return the fewest coloured nodes that force all: a shortest path between sets that force nothing more.

    A step colours a node and all its neighbours, of which the last one is forced (the wavefront algorithm, in Brimkov,
    Fast, Hicks: Computational approaches for zero forcing). An integer program takes minutes for some 20 nodes.
    """
    neighbors, twins = pack_rows(graph), _find_earlier_twins(graph)
    everything = (1 << len(graph)) - 1
    least, waiting = {0: 0}, [(0, 0)]
    while waiting:
        cost, coloured = heapq.heappop(waiting)
        if coloured == everything:
            return cost
        if cost > least[coloured]:
            continue
        for node, around in enumerate(neighbors):
            if ~coloured >> node & 1 and twins[node] & ~coloured:
                continue  # the twin does the same
            white = around & ~coloured
            price = cost + (not coloured >> node & 1) + max(white.bit_count() - 1, 0)
            grown = _force(coloured | 1 << node | white, neighbors)
            if price < least.get(grown, len(graph) + 1):
                least[grown] = price
                heapq.heappush(waiting, (price, grown))
    raise AssertionError("all nodes are reached at last")


def _find_earlier_twins(graph: Matrix) -> list[int]:
    """Return for each node those before it that have the same neighbours, apart from one another."""
    alike = (graph[:, None] == graph).all(axis=2) | (_close(graph)[:, None] == _close(graph)).all(axis=2)
    return pack_rows(np.tril(alike, -1))


def _force(coloured: int, neighbors: Sequence[int]) -> int:
    """Return what is coloured once every coloured node with one other neighbour has forced it."""
    waiting = coloured
    while waiting:
        waiting = 0
        for node in list_bits(coloured):
            white = neighbors[node] & ~coloured
            if white and not white & (white - 1):
                coloured |= white
                waiting |= white
    return coloured


def _to_igraph(graph: Matrix) -> igraph.Graph:
    return igraph.Graph(n=len(graph), edges=np.argwhere(np.triu(graph)).tolist())


def _close(graph: Matrix) -> Matrix:
    """Return the closed neighbourhoods."""
    return graph | np.eye(len(graph), dtype=bool)


def _cover(covers: list[int], excludes: list[int]) -> int:
    """Return the least number of nodes that cover all, when each chosen one excludes some others.

    Args:
        covers: of each node, those that it covers, which are those that cover it.
        excludes: of each node, those that are not to be chosen with it.
    """
    everything, most = (1 << len(covers)) - 1, max(cover.bit_count() for cover in covers)

    def is_enough(left: int, uncovered: int, allowed: int) -> bool:
        if not uncovered:
            return True
        if uncovered.bit_count() > left * most:
            return False
        choices = min((covers[node] & allowed for node in list_bits(uncovered)), key=int.bit_count)
        for node in list_bits(choices):
            allowed &= ~(1 << node)  # what follows covers that node without it
            if is_enough(left - 1, uncovered & ~covers[node], allowed & ~excludes[node]):
                return True
        return False

    size = 1
    while not is_enough(size, everything, everything):
        size += 1
    return size


def _cover_all(covers: Matrix) -> LinearConstraint:
    return LinearConstraint(covers.astype(float), lb=1)


def _no_edge_twice(graph: Matrix) -> tuple[LinearConstraint, ...]:
    edges = np.argwhere(np.triu(graph))
    if not len(edges):
        return ()
    rows = np.zeros((len(edges), len(graph)))
    rows[np.arange(len(edges))[:, None], edges] = 1
    return (LinearConstraint(rows, ub=1),)


def _choose(graph: Matrix, constraints: tuple[LinearConstraint, ...], *, sign: int = 1) -> int:
    """Return the size of the smallest set under constraints, or of the largest if the sign is negative."""
    n = len(graph)
    found = milp(np.full(n, sign), integrality=np.ones(n, dtype=np.int64), bounds=Bounds(0, 1), constraints=constraints)
    return _read_size(found.fun)


def _read_size(value: float | None) -> int:
    assert value is not None  # all nodes are a solution, or none
    return abs(round(value))


EXACT: dict[str, Callable[[Matrix], int]] = {
    "independence_number": find_independence_number,
    "clique_number": find_clique_number,
    "chromatic_number": color,
    "matching_number": find_matching_number,
    "domination_number": find_domination_number,
    "total_domination_number": find_total_domination_number,
    "independent_domination_number": find_independent_domination_number,
    "zero_forcing_number": find_zero_forcing_number,
    "node_connectivity": find_node_connectivity,
    "edge_connectivity": find_edge_connectivity,
}
"""Each invariant of the group `subsets` by the function that finds it."""

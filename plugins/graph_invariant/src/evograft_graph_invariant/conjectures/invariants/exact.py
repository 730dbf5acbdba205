"""The invariants of sets of nodes for single, larger graphs: integer programs, and networkx where it is fast."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp

from evograft_graph_invariant.conjectures.invariants.coloring import color
from evograft_graph_invariant.conjectures.pools.stack import Adjacency, to_graph
from evograft_graph_invariant.graphs.features import Vector

Matrix = npt.NDArray[np.bool_]


def compute_one_by_one(adjacency: Adjacency, names: tuple[str, ...]) -> dict[str, Vector]:
    """Compute the named invariants for one graph after another."""
    return {name: np.array([float(EXACT[name](graph)) for graph in adjacency]) for name in names}


def find_independence_number(graph: Matrix) -> int:
    return _choose(graph, _no_edge_twice(graph), sign=-1)


def find_clique_number(graph: Matrix) -> int:
    return find_independence_number(~graph & ~np.eye(len(graph), dtype=bool))


def find_domination_number(graph: Matrix) -> int:
    return _choose(graph, (_closed(graph),), sign=1)


def find_total_domination_number(graph: Matrix) -> int:
    return _choose(graph, (LinearConstraint(graph.astype(float), lb=1),), sign=1)


def find_independent_domination_number(graph: Matrix) -> int:
    return _choose(graph, (_closed(graph), *_no_edge_twice(graph)), sign=1)


def find_matching_number(graph: Matrix) -> int:
    return len(nx.max_weight_matching(to_graph(graph), maxcardinality=True))


def find_node_connectivity(graph: Matrix) -> int:
    return int(nx.node_connectivity(to_graph(graph)))


def find_edge_connectivity(graph: Matrix) -> int:
    return int(nx.edge_connectivity(to_graph(graph)))


def find_zero_forcing_number(graph: Matrix) -> int:
    """Return the fewest coloured nodes that force all, by an integer program that orders the forces in time.

    Every node is coloured at the start or forced along one edge, later than the forcing node and all its other
    neighbours; the times are whole numbers below n (Brimkov, Fast, Hicks: Computational approaches for zero forcing).
    """
    n = len(graph)
    arcs = np.argwhere(graph)
    size = n + n + len(arcs)  # coloured, time, force along an arc
    rows, lows = [], []
    for node in range(n):
        row = np.zeros(size)
        row[node] = 1
        row[2 * n + np.flatnonzero(arcs[:, 1] == node)] = 1
        rows += [row, -row]
        lows += [1.0, -1.0]
    for place, (source, sink) in enumerate(arcs):
        for earlier in {int(source), *np.flatnonzero(graph[source]).tolist()} - {int(sink)}:
            row = np.zeros(size)
            row[n + sink], row[n + earlier], row[2 * n + place] = 1, -1, -n
            rows.append(row)
            lows.append(1.0 - n)
    cost = np.concatenate([np.ones(n), np.zeros(size - n)])
    high = np.concatenate([np.ones(n), np.full(n, n - 1.0), np.ones(len(arcs))])
    found = milp(
        cost,
        integrality=np.ones(size, dtype=np.int64),
        bounds=Bounds(0, high),
        constraints=LinearConstraint(np.array(rows), lb=lows),
    )
    return _read_size(found.fun)


def _closed(graph: Matrix) -> LinearConstraint:
    return LinearConstraint((graph | np.eye(len(graph), dtype=bool)).astype(float), lb=1)


def _no_edge_twice(graph: Matrix) -> tuple[LinearConstraint, ...]:
    edges = np.argwhere(np.triu(graph))
    if not len(edges):
        return ()
    rows = np.zeros((len(edges), len(graph)))
    rows[np.arange(len(edges))[:, None], edges] = 1
    return (LinearConstraint(rows, ub=1),)


def _choose(graph: Matrix, constraints: tuple[LinearConstraint, ...], *, sign: int) -> int:
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

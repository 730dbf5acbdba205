"""Invariants that ask for a best set of nodes, exactly, by looking at all sets of nodes of many graphs at once.

A set is a number whose bits are its nodes. Arrays have one row for each set and one column for each graph, and are
filled from the sets without the last node to those with it, so that each takes as many steps as there are nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.pools.stack import Adjacency
from evograft_graph_invariant.graphs.features import Vector

LARGEST = 16
"""Nodes beyond which there are too many sets."""

LARGEST_COUNT = 10
"""Nodes up to which colourings are counted within 64 bits."""

CELLS = 2**22
"""Sets times graphs that are in memory at a time."""

Sets = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.uint8]


def compute_subset_invariants(adjacency: Adjacency, names: tuple[str, ...]) -> dict[str, Vector]:
    """Compute the named invariants of the group `subsets`, of graphs of at most `LARGEST` nodes."""
    n = adjacency.shape[1]
    chunk = max(1, CELLS >> n)
    parts = [_Chunk(adjacency[i : i + chunk]) for i in range(0, len(adjacency), chunk)]
    found = [{name: _METHODS[name](part) for name in names} for part in parts]
    return {name: np.concatenate([values[name] for values in found]) for name in names}


class _Chunk:
    """Some graphs, with what several invariants need, which is computed once and only if it is needed."""

    def __init__(self, adjacency: Adjacency) -> None:
        self.adjacency = adjacency
        self.n = adjacency.shape[1]
        self.full = np.uint32(2**self.n - 1)
        self.neighbors = to_bits(adjacency)

    @cached_property
    def independent(self) -> Flags:
        return find_independent(self.neighbors)

    @cached_property
    def around(self) -> Sets:
        return unite_neighbors(self.neighbors)

    @cached_property
    def covered(self) -> Sets:
        return self.around | _all_sets(self.n)


def to_bits(adjacency: Adjacency) -> Sets:
    """Return the neighbours of each node as a set: one row a node, one column a graph."""
    bits = (adjacency * (1 << np.arange(adjacency.shape[1]))).sum(axis=2)
    return np.ascontiguousarray(bits.T).astype(np.uint32)


def _complement(adjacency: Adjacency) -> Adjacency:
    return ~adjacency & ~np.eye(adjacency.shape[1], dtype=bool)


@cache
def _sizes(n: int) -> Counts:
    sizes = np.zeros(1, dtype=np.uint8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    return sizes


def _all_sets(n: int) -> Sets:
    return np.arange(2**n, dtype=np.uint32)[:, None]


def _largest(having: Flags, n: int) -> Vector:
    return np.asarray(np.where(having, _sizes(n)[:, None], 0).max(axis=0), dtype=np.float64)


def _smallest(having: Flags, n: int) -> Vector:
    return np.asarray(np.where(having, _sizes(n)[:, None], n + 1).min(axis=0), dtype=np.float64)


def find_independent(neighbors: Sets) -> Flags:
    """Return which sets have no edge inside."""
    n, count = neighbors.shape
    found = np.ones((2**n, count), dtype=bool)
    for node in range(n):
        half = 1 << node
        found[half : 2 * half] = found[:half] & (_all_sets(node) & neighbors[node] == 0)
    return found


def unite_neighbors(neighbors: Sets) -> Sets:
    """Return the nodes that have a neighbour in each set."""
    n, count = neighbors.shape
    found = np.zeros((2**n, count), dtype=np.uint32)
    for node in range(n):
        half = 1 << node
        found[half : 2 * half] = found[:half] | neighbors[node]
    return found


def force(neighbors: Sets) -> Sets:
    """Return which nodes each set forces in the end: a node with one neighbour left outside forces that one."""
    n, count = neighbors.shape
    sets = _all_sets(n)
    reached = np.repeat(sets, count, axis=1)
    for node in range(n):
        outside = neighbors[node] & ~sets
        single = (outside & (outside - np.uint32(1)) == 0) & (sets >> np.uint32(node) & np.uint32(1) == 1)
        reached |= np.where(single, outside, np.uint32(0))
    for _ in range(n.bit_length() + 1):  # a step of steps doubles their number
        reached = np.take_along_axis(reached, reached.astype(np.intp), axis=0)
    return reached


def compute_matching_numbers(adjacency: Adjacency) -> Vector:
    """Return the size of a largest matching: the last node of a set is left alone or has a partner in it."""
    count, n = adjacency.shape[:2]
    found = np.zeros((2**n, count), dtype=np.uint8)
    for node in range(n):
        half = 1 << node
        best = found[:half].copy()
        for partner in range(node):
            with_it = np.flatnonzero(np.arange(half) >> partner & 1)
            better = found[with_it - (1 << partner)] + adjacency[:, node, partner].astype(np.uint8)
            best[with_it] = np.maximum(best[with_it], better)
        found[half : 2 * half] = best
    return np.asarray(found[-1], dtype=np.float64)


def compute_chromatic_numbers(adjacency: Adjacency) -> Vector:
    """Return the fewest colours; beyond `LARGEST_COUNT` nodes for one graph after another, if it is not bipartite."""
    from evograft_graph_invariant.conjectures.invariants.coloring import color

    if adjacency.shape[1] > LARGEST_COUNT:
        return np.array([float(color(graph)) for graph in adjacency])
    return _count_colors(to_bits(adjacency))


def _count_colors(neighbors: Sets) -> Vector:
    """Return the smallest k for which k independent sets cover all nodes, by inclusion and exclusion."""
    n, count = neighbors.shape
    inside = np.ones((2**n, count), dtype=np.int64)
    for node in range(n):
        half = 1 << node
        rest = (_all_sets(node) & ~neighbors[node]).astype(np.intp)
        inside[half : 2 * half] = inside[:half] + np.take_along_axis(inside[:half], rest, axis=0)
    signs = np.where((n - _sizes(n).astype(int)) % 2, -1, 1)[:, None]
    colors, power = np.zeros(count), np.ones_like(inside)
    for k in range(1, n + 1):
        power *= inside
        colors = np.where((colors == 0) & ((signs * power).sum(axis=0) > 0), k, colors)
    return colors


def _node_connectivity(chunk: _Chunk) -> Vector:
    """Return the fewest neighbours of a set that does not reach everything; n - 1 where every set does."""
    n = chunk.n
    boundary = np.where(chunk.covered == chunk.full, n - 1, _sizes(n)[chunk.around & ~_all_sets(n)])
    return np.asarray(boundary[1:].min(axis=0), dtype=np.float64)


def _edge_connectivity(neighbors: Sets, n: int) -> Vector:
    cut = np.zeros((2**n, neighbors.shape[1]), dtype=np.int16)
    for node in range(n):
        half = 1 << node
        inside = _sizes(n)[neighbors[node] & _all_sets(node)].astype(np.int16)
        degree = _sizes(n)[neighbors[node]].astype(np.int16)
        cut[half : 2 * half] = cut[:half] + degree - 2 * inside
    return np.asarray(cut[1:-1].min(axis=0), dtype=np.float64)


_METHODS: dict[str, Callable[[_Chunk], Vector]] = {
    "independence_number": lambda chunk: _largest(chunk.independent, chunk.n),
    "clique_number": lambda chunk: _largest(find_independent(to_bits(_complement(chunk.adjacency))), chunk.n),
    "chromatic_number": lambda chunk: compute_chromatic_numbers(chunk.adjacency),
    "matching_number": lambda chunk: compute_matching_numbers(chunk.adjacency),
    "domination_number": lambda chunk: _smallest(chunk.covered == chunk.full, chunk.n),
    "total_domination_number": lambda chunk: _smallest(chunk.around == chunk.full, chunk.n),
    "independent_domination_number": lambda chunk: _smallest(
        chunk.independent & (chunk.covered == chunk.full), chunk.n
    ),
    "zero_forcing_number": lambda chunk: _smallest(force(chunk.neighbors) == chunk.full, chunk.n),
    "node_connectivity": _node_connectivity,
    "edge_connectivity": lambda chunk: _edge_connectivity(chunk.neighbors, chunk.n),
}

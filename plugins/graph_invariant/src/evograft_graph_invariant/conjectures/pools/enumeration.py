"""All connected graphs of up to eight nodes, and all trees of up to fourteen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.pools.stack import Adjacency, GraphStack, stack_graphs
from evograft_graph_invariant.graphs.generators import Graph

ATLAS_ORDER = 7
LARGEST_ORDER = 8
LARGEST_TREE = 14

COUNTS = {2: 1, 3: 2, 4: 6, 5: 21, 6: 112, 7: 853, 8: 11117}
"""How many connected graphs there are (OEIS A001349)."""

CONNECTED = "connected graphs"
TREES = "trees"

Hashes = npt.NDArray[np.uint64]


def enumerate_connected(largest: int) -> Iterator[GraphStack]:
    """Yield every connected graph with two nodes or more once, up to isomorphism, one stack for each order.

    Args:
        largest: the largest order, at most `LARGEST_ORDER`.
    """
    atlas: Iterator[Graph] = (
        graph for graph in nx.graph_atlas_g() if 1 < len(graph) <= largest and nx.is_connected(graph)
    )
    stack = None
    for stack in stack_graphs(CONNECTED, atlas):
        yield stack
    if largest > ATLAS_ORDER and stack is not None:
        yield GraphStack(CONNECTED, extend_by_a_node(stack.adjacency))


def enumerate_trees(smallest: int, largest: int) -> Iterator[GraphStack]:
    """Yield every tree of these orders once, up to isomorphism."""
    for order in range(smallest, largest + 1):
        trees: Any = nx.nonisomorphic_trees(order)  # networkx's types have it yield lists
        yield from stack_graphs(TREES, trees)


def extend_by_a_node(adjacency: Adjacency) -> Adjacency:
    """Return all connected graphs with one node more than these, which must be all of their order.

    Every connected graph has a node without which it is connected, so that it is one of these with a node joined to
    some of its nodes.

    Raises:
        ValueError: the hashes do not tell all graphs of this order apart, which is known of up to eight nodes.
    """
    count, n = adjacency.shape[:2]
    subsets = np.arange(1, 2**n)[:, None] >> np.arange(n) & 1 == 1
    found = np.zeros((count, len(subsets), n + 1, n + 1), dtype=bool)
    found[:, :, :n, :n] = adjacency[:, None]
    found[:, :, n, :n] = found[:, :, :n, n] = subsets
    flat = found.reshape(-1, n + 1, n + 1)
    _, first = np.unique(hash_graphs(flat), return_index=True)
    if len(first) != COUNTS[n + 1]:
        raise ValueError(f"{len(first)} hashes for the {COUNTS[n + 1]} connected graphs of {n + 1} nodes")
    return flat[np.sort(first)]


def hash_graphs(adjacency: Adjacency, rounds: int = 3) -> Hashes:
    """Return a number for each graph that is the same for isomorphic ones: pairs of nodes, coloured and refined.

    This is the two-dimensional Weisfeiler-Leman refinement. That it tells all connected graphs of up to eight nodes
    apart follows from the number of different hashes.
    """
    with np.errstate(over="ignore"):
        colors = _mix(adjacency.astype(np.uint64) + np.eye(adjacency.shape[1], dtype=np.uint64) * np.uint64(2))
        for _ in range(rounds):
            paths = np.zeros_like(colors)
            for middle in range(adjacency.shape[1]):
                paths += _mix(colors[:, :, middle, None] * np.uint64(3) + _mix(colors[:, None, middle, :]))
            colors = _mix(colors * np.uint64(5) + paths + paths.transpose(0, 2, 1))
        return np.asarray(_mix(colors).sum(axis=(1, 2), dtype=np.uint64), dtype=np.uint64)


def _mix(values: Hashes) -> Hashes:
    """The finalizer of SplitMix64."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))

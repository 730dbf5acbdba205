"""The generators of the random graphs of every data set, each from a seed of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
import numpy.typing as npt

KINDS = ("ER", "BA", "WS", "RGG", "SBM")
"""The five kinds of the training distribution; graph i of a set is of kind `KINDS[i % 5]`."""

EXTREME_KINDS = ("dense_ER", "sparse_ER", "dense_BA", "ring_WS")
"""The kinds of the set `extreme_params`, in turn."""

Parameters = dict[str, float]
Edges = npt.NDArray[np.int32]

Graph: TypeAlias = "nx.Graph[Any]"


@dataclass(frozen=True)
class DrawnGraph:
    """A connected, simple graph on the nodes 0..n-1, and its origin."""

    n: int
    edges: Edges
    """One row an edge, smaller node first, rows sorted."""
    kind: str
    seed: int
    parameters: Parameters
    """Those of the draw that was kept, `N` (the nodes before the largest component was taken) among them."""
    redraws: int
    """How many draws had too small a largest component."""


def draw_graph(seed: int, kind: str, *, sizes: tuple[int, int], minimum: int) -> DrawnGraph:
    """Draws until the largest component has `minimum` nodes, number of nodes and parameters anew each time."""
    rng = random.Random(seed)
    redraws = 0
    while True:
        nodes = rng.randint(*sizes)
        graph, parameters = _MAKERS[kind](nodes, rng)
        n, edges = find_largest_component(graph)
        if n >= minimum:
            return DrawnGraph(n, edges, kind, seed, {"N": nodes, **parameters}, redraws)
        redraws += 1


def find_largest_component(graph: Graph) -> tuple[int, Edges]:
    """Return node count and edges of the largest component, without self-loops, parallel edges or attributes."""
    nodes = max(nx.connected_components(graph), key=len)
    # Integer nodes keep their order; the named ones of real networks keep that in which the graph lists them.
    place = {node: i for i, node in enumerate(node for node in graph if node in nodes)}
    pairs = {(min(place[u], place[v]), max(place[u], place[v])) for u, v in graph.edges() if u != v and u in nodes}
    return len(place), np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)


def to_networkx(nodes: Iterable[int], edges: Edges) -> Graph:
    """Return the graph that lists nodes and edges in the order given."""
    graph: Graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges.tolist())
    return graph


def rename_nodes(n: int, edges: Edges, seed: int) -> tuple[list[int], Edges]:
    """Nodes and edges of an isomorphic graph: renamed, and listed in another order."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(n).astype(np.int32)
    return rng.permutation(n).tolist(), rng.permutation(names[edges])


Maker = Callable[[int, random.Random], tuple[Graph, Parameters]]


def _erdos_renyi(low: float, high: float) -> Maker:
    def make(n: int, rng: random.Random) -> tuple[Graph, Parameters]:
        p = rng.uniform(low, high)
        return nx.erdos_renyi_graph(n, p, seed=rng), {"p": p}

    return make


def _barabasi_albert(low: int, high: int) -> Maker:
    def make(n: int, rng: random.Random) -> tuple[Graph, Parameters]:
        m = rng.randint(low, high)
        return nx.barabasi_albert_graph(n, m, seed=rng), {"m": m}

    return make


def _watts_strogatz(degrees: tuple[int, int], low: float, high: float) -> Maker:
    def make(n: int, rng: random.Random) -> tuple[Graph, Parameters]:
        k = rng.randint(*degrees)
        p = rng.uniform(low, high)
        return nx.watts_strogatz_graph(n, k, p, seed=rng), {"k": k, "p": p}

    return make


def _random_geometric(n: int, rng: random.Random) -> tuple[Graph, Parameters]:
    radius = rng.uniform(0.1, 0.4)
    return nx.random_geometric_graph(n, radius, seed=rng), {"r": radius}


def _block_model(n: int, rng: random.Random) -> tuple[Graph, Parameters]:
    sizes = [n // 3, n // 3, n - 2 * (n // 3)]
    inside = [rng.uniform(0.15, 0.4) for _ in sizes]
    outside = rng.uniform(0.01, 0.08)
    probabilities = [[inside[i] if i == j else outside for j in range(3)] for i in range(3)]
    graph = nx.stochastic_block_model(sizes, probabilities, seed=rng)
    return graph, {**{f"p_in_{i}": p for i, p in enumerate(inside)}, "p_out": outside}


_MAKERS: dict[str, Maker] = {
    "ER": _erdos_renyi(0.05, 0.3),
    "BA": _barabasi_albert(1, 4),
    "WS": _watts_strogatz((4, 8), 0.1, 0.5),
    "RGG": _random_geometric,
    "SBM": _block_model,
    "dense_ER": _erdos_renyi(0.4, 0.7),
    "sparse_ER": _erdos_renyi(0.01, 0.04),
    "dense_BA": _barabasi_albert(8, 15),
    "ring_WS": _watts_strogatz((2, 2), 0.01, 0.1),
}

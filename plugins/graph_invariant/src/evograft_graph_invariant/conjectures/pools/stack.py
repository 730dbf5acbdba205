"""A stack of graphs: many simple graphs with equally many nodes, as one array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import rustworkx

from evograft_graph_invariant.graphs.generators import Graph

Adjacency = npt.NDArray[np.bool_]
"""Of shape (graphs, n, n), symmetric, with an empty diagonal."""


@dataclass(frozen=True)
class GraphStack:
    """Connected graphs of one order and one kind."""

    kind: str
    """Where they come from, in words for readers, such as `connected graphs`."""
    adjacency: Adjacency

    @property
    def order(self) -> int:
        return int(self.adjacency.shape[1])

    def __len__(self) -> int:
        return len(self.adjacency)


def stack_graphs(kind: str, graphs: Iterable[Graph]) -> Iterator[GraphStack]:
    """Yield one stack for each order, the smallest first; graphs keep their sequence."""
    by_order: dict[int, list[npt.NDArray[np.bool_]]] = defaultdict(list)
    for graph in graphs:
        matrix = nx.to_numpy_array(graph, weight="") > 0  # no attribute has this name: every edge counts 1
        np.fill_diagonal(matrix, False)
        by_order[len(graph)].append(matrix)
    for order in sorted(by_order):
        yield GraphStack(kind, np.stack(by_order[order]))


def encode_graph6(adjacency: npt.NDArray[np.bool_]) -> str:
    """Return one graph of at most 62 nodes in the form graph6, which other programs read."""
    n = len(adjacency)
    bits = adjacency.T[np.tril_indices(n, -1)].astype(np.uint8)
    padded = np.concatenate([bits, np.zeros(-len(bits) % 6, dtype=np.uint8)]).reshape(-1, 6)
    values = padded @ np.array([32, 16, 8, 4, 2, 1]) + 63
    return chr(n + 63) + "".join(map(chr, values.tolist()))


def decode_graph6(lines: list[bytes]) -> Adjacency:
    """Return graphs of one order, at most 62 nodes each, from their lines of graph6."""
    codes = np.frombuffer(b"".join(lines), dtype=np.uint8).reshape(len(lines), -1)
    n = int(codes[0, 0]) - 63
    bits = np.unpackbits((codes[:, 1:] - 63)[:, :, None], axis=2)[:, :, 2:].reshape(len(lines), -1)
    adjacency = np.zeros((len(lines), n, n), dtype=bool)
    rows, columns = np.tril_indices(n, -1)
    adjacency[:, rows, columns] = bits[:, : len(rows)]
    return adjacency | adjacency.transpose(0, 2, 1)


def to_graph(adjacency: npt.NDArray[np.bool_]) -> nx.Graph[Any]:
    """Return one graph of a stack as networkx has it, on the nodes 0..n-1."""
    return nx.from_numpy_array(adjacency.astype(np.uint8))


def to_rustworkx(adjacency: npt.NDArray[np.bool_]) -> rustworkx.PyGraph[Any, Any]:
    """Return one graph as rustworkx has it."""
    return rustworkx.PyGraph.from_adjacency_matrix(adjacency.astype(float))

"""Which library computes an invariant fastest: python plugins/graph_invariant/benchmarks/bench_backends.py.

One graph of each of the five kinds for each size; CPU milliseconds a graph on one thread, the mean over the
kinds. Each library gets the graph in its own form, which is not timed. The plugin's figures are of
everything that it takes from the same matrices: all columns, all quantities of distance. Needs the dependency group
`bench`.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import igraph
import networkx as nx
import numpy as np
import rustworkx
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

from evograft_graph_invariant.graphs.distances import compute_distance_quantities
from evograft_graph_invariant.graphs.features import (
    build_adjacency_matrix,
    compute_columns,
    compute_node_clustering,
    count_node_triangles,
)
from evograft_graph_invariant.graphs.generators import KINDS, draw_graph, to_networkx

SEED = 0


class Forms:
    """One graph as each library likes it."""

    def __init__(self, n: int, edges: np.ndarray) -> None:
        self.n, self.edges = n, edges
        self.dense = build_adjacency_matrix(n, edges)
        self.sparse = sp.csr_array(self.dense)
        self.laplacian = csgraph.laplacian(self.sparse)
        self.networkx = to_networkx(range(n), edges)
        self.igraph = igraph.Graph(n, edges.tolist())
        self.rustworkx = rustworkx.PyGraph(multigraph=False)
        self.rustworkx.add_nodes_from(range(n))
        self.rustworkx.extend_from_edge_list([tuple(edge) for edge in edges.tolist()])


Compute = Callable[[Forms], Any]


def two_hop_networkx(g: Forms) -> float:
    graph = g.networkx
    near = (len(set(itertools.chain.from_iterable(graph[v] for v in graph[u])) - set(graph[u]) - {u}) for u in graph)
    return sum(near) / (g.n * (g.n - 1))


def two_hop_scipy(g: Forms) -> float:
    return ((g.sparse @ g.sparse + g.sparse).nnz - g.sparse.nnz - g.n) / (g.n * (g.n - 1))


def clustering_numpy(g: Forms) -> float:
    return float(compute_node_clustering(count_node_triangles(g.dense, g.dense @ g.dense), g.dense.sum(axis=1)).mean())


def laplacian_numpy(g: Forms) -> float:
    return float(np.linalg.eigvalsh(np.diag(g.dense.sum(axis=1)) - g.dense)[1])


def radius_numpy(g: Forms) -> float:
    return float(np.linalg.eigvalsh(g.dense)[-1])


TASKS: dict[str, dict[str, Compute]] = {
    "distances of all pairs": {
        "plugin": lambda g: compute_distance_quantities(g.n, g.edges)["average_shortest_path_length"],
        "networkx": lambda g: nx.average_shortest_path_length(g.networkx),
        "SciPy": lambda g: csgraph.shortest_path(g.sparse, unweighted=True).sum() / (g.n * (g.n - 1)),
        "igraph": lambda g: g.igraph.average_path_length(),
        "rustworkx": lambda g: rustworkx.distance_matrix(g.rustworkx).sum() / (g.n * (g.n - 1)),
    },
    "average clustering": {
        "plugin": clustering_numpy,
        "networkx": lambda g: nx.average_clustering(g.networkx),
        "igraph": lambda g: g.igraph.transitivity_avglocal_undirected(mode="zero"),
    },
    "share at distance two": {"networkx": two_hop_networkx, "SciPy": two_hop_scipy},
    "algebraic connectivity": {
        "plugin": laplacian_numpy,
        "networkx": lambda g: nx.algebraic_connectivity(g.networkx, method="lanczos", seed=0),
        "SciPy": lambda g: eigsh(g.laplacian, k=2, sigma=-1e-3, return_eigenvectors=False).max(),
    },
    "spectral radius": {
        "plugin": radius_numpy,
        "networkx": lambda g: max(nx.adjacency_spectrum(g.networkx).real),
        "SciPy": lambda g: eigsh(g.sparse, k=1, which="LA", return_eigenvectors=False)[0],
        "igraph": lambda g: g.igraph.eigenvector_centrality(return_eigenvalue=True)[1],
    },
    "all 34 columns": {"plugin": lambda g: compute_columns(g.n, g.edges)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", default="100,300,1000", help="numbers of nodes")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with threadpool_limits(1):
        costs = {size: cost_of_all(size) for size in sizes}
    print("| invariant | library |", " | ".join(f"{size} nodes" for size in sizes), "|")
    print("| --- | --- |" + " ---: |" * len(sizes))
    for task, ways in TASKS.items():
        for library in ways:
            print(f"| {task} | {library} |", " | ".join(f"{costs[size][task, library]:.3g}" for size in sizes), "|")


def cost_of_all(size: int) -> dict[tuple[str, str], float]:
    drawn = [draw_graph(SEED, kind, sizes=(size, size), minimum=size * 9 // 10) for kind in KINDS]
    graphs = [Forms(graph.n, graph.edges) for graph in drawn]
    return {
        (task, library): statistics.fmean(cost(compute, graph) for graph in graphs)
        for task, ways in TASKS.items()
        for library, compute in ways.items()
    }


def cost(compute: Compute, graph: Forms) -> float:
    """Milliseconds of CPU."""
    started = time.process_time()
    compute(graph)
    return 1000 * (time.process_time() - started)


if __name__ == "__main__":
    main()

"""Distances of a graph and the quantities made of them, which candidates never see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evograft_graph_invariant.graphs.features import Matrix

if TYPE_CHECKING:
    from evograft_graph_invariant.graphs.generators import Edges


WORD = 64


def compute_distance_matrix(n: int, edges: Edges) -> Matrix:
    """Return all distances of a connected graph with at least two nodes: breadth-first searches from all, in bits.

    No kernel of a library takes part, and none is as fast: each search is a bit, and 64 of them are a word.
    """
    tails, heads = np.concatenate([edges, edges[:, ::-1]]).T
    neighbors = heads[tails.argsort(kind="stable")]
    degrees = np.bincount(tails, minlength=n)
    firsts = degrees.cumsum() - degrees
    distances = np.zeros((n, n))
    searches = -(-n // WORD) * WORD
    front = seen = np.packbits(np.eye(n, searches, dtype=bool), axis=1).view(np.uint64)
    step = 0
    while front.any():
        distances[np.unpackbits(front.view(np.uint8), axis=1, count=n).view(bool)] = step
        front = np.bitwise_or.reduceat(front[neighbors], firsts, axis=0) & ~seen
        seen = seen | front
        step += 1
    return distances


def compute_distance_quantities(n: int, edges: Edges) -> dict[str, float]:
    """`targets.DISTANCE_QUANTITIES` of a connected graph with at least two nodes, by name."""
    distances = compute_distance_matrix(n, edges)
    pairs = n * (n - 1)
    farness = distances.sum(axis=1)
    eccentricity = distances.max(axis=1)
    mean = float(farness.sum()) / pairs
    inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=distances > 0)
    return {
        "average_shortest_path_length": mean,
        "diameter": float(eccentricity.max()),
        "radius": float(eccentricity.min()),
        "mean_eccentricity": float(eccentricity.mean()),
        "wiener_index": mean * pairs / 2,
        "mean_closeness": float(((n - 1) / farness).mean()),
        "global_efficiency": float(inverse.sum()) / pairs,
        # Every pair contributes its inner nodes: the sum of betweenness is the sum of (distance - 1).
        "mean_betweenness": (mean - 1) / (n - 2) if n > 2 else 0.0,  # noqa: PLR2004 - two nodes have nothing between
        "three_hop_share": float((distances == 3).sum()) / pairs,  # noqa: PLR2004 - the distance in its name
        "beyond_two_share": float((distances > 2).sum()) / pairs,  # noqa: PLR2004 - the distance in its name
    }

"""Invariants of distances, of a stack of connected graphs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.pools.stack import Adjacency
from evograft_graph_invariant.graphs.features import Vector

Distances = npt.NDArray[np.float32]


def compute_distances(adjacency: Adjacency) -> Distances:
    """Return all distances, by breadth-first search in all graphs at once; infinite between components."""
    count, n = adjacency.shape[:2]
    reached = np.broadcast_to(np.eye(n, dtype=bool), (count, n, n)).copy()
    distances = np.where(reached, 0, np.inf).astype(np.float32)
    steps = adjacency.astype(np.float32)
    for distance in range(1, n):
        fresh = (reached.astype(np.float32) @ steps > 0) & ~reached
        if not fresh.any():
            break
        distances[fresh] = distance
        reached |= fresh
    return distances


def compute_distance_invariants(adjacency: Adjacency) -> dict[str, Vector]:
    """Compute all invariants of the group `distances`."""
    n = adjacency.shape[1]
    distances = compute_distances(adjacency).astype(np.float64)
    eccentricity = distances.max(axis=2)
    wiener = distances.sum(axis=(1, 2)) / 2
    inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=distances > 0)
    return {
        "diameter": eccentricity.max(axis=1),
        "radius": eccentricity.min(axis=1),
        "average_shortest_path_length": 2 * wiener / (n * (n - 1)),
        "mean_eccentricity": eccentricity.mean(axis=1),
        "wiener_index": wiener,
        "harary_index": inverse.sum(axis=(1, 2)) / 2,
    }


def find_connected(adjacency: Adjacency) -> npt.NDArray[np.bool_]:
    """Return which graphs are connected."""
    return np.asarray(np.isfinite(compute_distances(adjacency)).all(axis=(1, 2)), dtype=np.bool_)

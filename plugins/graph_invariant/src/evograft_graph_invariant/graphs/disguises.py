"""Quantities that say what a target says in other words: what a program may not compute and call its own.

Only their order over the graphs is compared, so each stands for all functions of it that rise or fall.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from evograft_graph_invariant.graphs.distances import compute_distance_matrix
from evograft_graph_invariant.graphs.features import Matrix, Vector, build_adjacency_matrix
from evograft_graph_invariant.graphs.generators import Edges
from evograft_graph_invariant.graphs.targets import Family

POWERS = (-2.0, -0.5, 0.5, 1.5, 2.0, 3.0, 4.0)
CAPS = (4, 5, 6, 7, 8)
BASES = (0.7, 0.9)
"""Of means of x to the power of the distance; with smaller ones, what counts is density and pairs at distance two."""
SOURCES = (1, 3, 5, 10, 20)
"""The number of nodes whose distances are sampled, those of largest or of smallest degree."""
ATTENUATIONS = (1e-4, 1e-3, 0.01, 0.02, 0.03, 0.05)
"""What a step costs in resolvents."""
TIMES = (0.5, 1.0, 2.0, 5.0)
"""Of heat kernels."""


def compute_distance_disguises(n: int, edges: Edges) -> dict[str, float]:
    """Return means of functions of the distances, over all pairs or from chosen nodes, and resolvents."""
    matrix = build_adjacency_matrix(n, edges)
    distances = compute_distance_matrix(n, edges)
    shares = np.bincount(distances.astype(np.int64).ravel())[1:] / (n * (n - 1))
    steps = np.arange(1.0, len(shares) + 1)
    farness = distances.sum(axis=1) / (n - 1)
    return {
        **{f"mean distance to the power {power:g}": float(shares @ steps**power) for power in POWERS},
        "mean logarithm of the distance": float(shares @ np.log(steps)),
        "hyper-Wiener index per pair": float(shares @ (steps + steps**2) / 2),
        **{f"mean distance capped at {cap}": float(shares @ np.minimum(steps, cap)) for cap in CAPS},
        **{f"mean of {base:g} to the power of the distance": float(shares @ base**steps) for base in BASES},
        **_sample_sources(farness, matrix.sum(axis=1)),
        "median farness": float(np.median(farness)),
        "smallest farness": float(farness.min()),
        **{f"mean log resolvent at {rate:g}": _compute_log_resolvent(matrix, rate) for rate in ATTENUATIONS},
    }


def _sample_sources(farness: Vector, degrees: Vector) -> dict[str, float]:
    """Nodes of equal degree are all taken, since names must not matter."""
    ordered = np.sort(degrees)
    found = {}
    for count in SOURCES:
        place = min(count, len(ordered)) - 1
        found[f"mean distance from {count} nodes of largest degree"] = farness[degrees >= ordered[-1 - place]].mean()
        found[f"mean distance from {count} nodes of smallest degree"] = farness[degrees <= ordered[place]].mean()
    return {name: float(value) for name, value in found.items()}


def _compute_log_resolvent(matrix: Matrix, rate: float) -> float:
    n = len(matrix)
    resolvent = np.abs(np.linalg.inv(np.eye(n) - rate * matrix))
    pairs = resolvent[~np.eye(n, dtype=bool)]
    return float(np.log(np.maximum(pairs, np.finfo(np.float64).tiny)).mean())


def compute_laplacian_disguises(n: int, edges: Edges) -> dict[str, float]:
    """Return what small eigenvalues of the Laplacian dominate."""
    matrix = build_adjacency_matrix(n, edges)
    eigenvalues = np.linalg.eigvalsh(np.diag(matrix.sum(axis=1)) - matrix)[1:]
    return {
        "third smallest eigenvalue of the Laplacian": float(eigenvalues[min(1, n - 2)]),
        **{
            f"sum of inverse eigenvalues to the power {power}": float((eigenvalues**-power).sum())
            for power in (1.0, 2.0, 3.0, 4.0)
        },
        **{f"heat trace at {time:g}": float(np.exp(-time * eigenvalues).sum()) for time in TIMES},
    }


DISGUISES: Mapping[Family, Callable[[int, Edges], dict[str, float]]] = {
    "distances": compute_distance_disguises,
    "laplacian": compute_laplacian_disguises,
}
"""The disguises that are known of the targets of a family."""

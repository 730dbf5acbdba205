"""Invariants that follow from degrees and triangles, of a stack of graphs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.pools.stack import Adjacency
from evograft_graph_invariant.graphs.features import Vector

Degrees = npt.NDArray[np.int64]


def compute_degree_invariants(adjacency: Adjacency) -> dict[str, Vector]:
    """Compute all invariants of the group `degrees`."""
    n = adjacency.shape[1]
    matrix = adjacency.astype(np.float64)
    degrees = adjacency.sum(axis=2)
    m = degrees.sum(axis=1) / 2
    root = 1 / np.sqrt(np.maximum(degrees, 1))
    sums = np.maximum(degrees[:, :, None] + degrees[:, None, :], 1)
    return {
        "n": np.full(len(adjacency), float(n)),
        "m": m,
        "density": 2 * m / (n * (n - 1)),
        "average_degree": 2 * m / n,
        "max_degree": degrees.max(axis=1).astype(float),
        "min_degree": degrees.min(axis=1).astype(float),
        "leaves": (degrees == 1).sum(axis=1).astype(float),
        "residue": compute_residue(degrees),
        "annihilation_number": compute_annihilation_number(degrees),
        "randic_index": _sum_over_edges(matrix * root[:, :, None] * root[:, None, :]),
        "harmonic_index": _sum_over_edges(2 * matrix / sums),
        "first_zagreb_index": (degrees**2).sum(axis=1).astype(float),
        "second_zagreb_index": _sum_over_edges(matrix * degrees[:, :, None] * degrees[:, None, :]),
        "triangles": np.round(((matrix @ matrix) * matrix).sum(axis=(1, 2)) / 6),
    }


def _sum_over_edges(weights: npt.NDArray[np.float64]) -> Vector:
    total: Vector = weights.sum(axis=(1, 2)) / 2
    return total


def compute_residue(degrees: Degrees) -> Vector:
    """Return what is left when the largest degree is taken away, and 1 from as many of the next, until all are 0."""
    rest = -np.sort(-degrees, axis=1)
    residue = np.zeros(len(rest))
    for _ in range(degrees.shape[1]):
        largest = rest[:, :1]
        residue = np.where((largest[:, 0] == 0) & (residue == 0), rest.shape[1], residue)
        rest = rest[:, 1:] - (np.arange(rest.shape[1] - 1) < largest)
        rest = -np.sort(-rest, axis=1)
    return residue


def compute_annihilation_number(degrees: Degrees) -> Vector:
    smallest = np.sort(degrees, axis=1).cumsum(axis=1)
    count: Vector = (2 * smallest <= degrees.sum(axis=1)[:, None]).sum(axis=1).astype(float)
    return count

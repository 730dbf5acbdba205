"""Invariants of eigenvalues, of a stack of connected graphs."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.conjectures.pools.stack import Adjacency
from evograft_graph_invariant.graphs.features import Vector

DIGITS = 11
"""Decimals that are kept, so that an eigenvalue that is a whole number is one."""


def compute_spectral_invariants(adjacency: Adjacency) -> dict[str, Vector]:
    """Compute all invariants of the group `spectra`."""
    n = adjacency.shape[1]
    matrix = adjacency.astype(np.float64)
    laplacian = np.eye(n) * matrix.sum(axis=2)[:, :, None] - matrix
    eigenvalues = np.linalg.eigvalsh(matrix)
    laplace = np.linalg.eigvalsh(laplacian)
    found = {
        "spectral_radius": eigenvalues[:, -1],
        "energy": np.abs(eigenvalues).sum(axis=1),
        "algebraic_connectivity": laplace[:, 1],
        "laplacian_radius": laplace[:, -1],
        "kirchhoff_index": n * (1 / laplace[:, 1:]).sum(axis=1),
    }
    return {name: np.round(values, DIGITS) for name, values in found.items()}

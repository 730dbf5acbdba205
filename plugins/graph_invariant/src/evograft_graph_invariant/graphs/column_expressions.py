"""The columns as expressions in NumPy over the adjacency matrix, to be printed for readers without this package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_NAME = re.compile(r"\b[A-Za-z]\w*")

EXPRESSIONS: Mapping[str, str] = {
    "A": "nx.to_numpy_array(G, weight=None)",
    "n": "len(A)",
    "m": "A.sum() / 2",
    "degrees": "A.sum(axis=1)",
    "density": "A.sum() / (n * (n - 1))",
    "average_degree": "degrees.mean()",
    "max_degree": "degrees.max()",
    "min_degree": "degrees.min()",
    "degree_std": "degrees.std()",
    "degree_moment_ratio": "(degrees ** 2).sum() / degrees.sum()",
    "mean_log_degree": "np.log(degrees).mean()",
    "mean_inverse_degree": "(1 / degrees).mean()",
    "leaves": "(degrees == 1).sum()",
    **{f"degree_decile_{i}": f"np.quantile(degrees, {i / 10})" for i in range(1, 10)},
    "closed": "(A @ A * A).sum(axis=1)",
    "open": "degrees * (degrees - 1)",
    "triangles": "closed.sum() / 6",
    "clustering_coefficient": "(closed / np.maximum(open, 1)).mean()",
    "transitivity": "closed.sum() / max(open.sum(), 1)",
    "ends": "degrees[np.argwhere(A).T]",
    "degree_assortativity": "np.corrcoef(ends)[0, 1] if degrees.std() else 0",
    "second": "((A @ A > 0) & (A == 0)).sum() - n",
    "two_hop_share": "second / (n * (n - 1))",
    "mean_second_neighbors": "second / n",
    "adjacency": "np.linalg.eigvalsh(A)",
    "spectral_radius": "adjacency[-1]",
    "energy_per_node": "np.abs(adjacency).mean()",
    "log_estrada_per_node": "(adjacency[-1] + np.log(np.exp(adjacency - adjacency[-1]).sum())) / n",
    "laplacian": "np.linalg.eigvalsh(np.diag(degrees) - A)",
    "algebraic_connectivity": "laplacian[1]",
    "laplacian_radius": "laplacian[-1]",
    "mean_resistance": "2 * (1 / laplacian[1:]).sum() / (n - 1)",
    "log_trees_per_node": "(np.log(laplacian[1:]).sum() - np.log(n)) / n",
    "normalized": "np.linalg.eigvalsh(np.eye(n) - A / np.sqrt(np.outer(degrees, degrees)))",
    "normalized_connectivity": "normalized[1]",
}
"""Each column, and what several need, over `G` and names of this table."""


def list_assignments(columns: Iterable[str]) -> list[str]:
    """Return the assignments that compute the columns of `G`, each after what it needs."""
    found: dict[str, str] = {}
    for name in columns:
        _assign(name, found)
    return [f"{name} = {expression}" for name, expression in found.items()]


def _assign(name: str, found: dict[str, str]) -> None:
    if name in found:
        return
    for needed in _NAME.findall(EXPRESSIONS[name]):
        if needed in EXPRESSIONS:
            _assign(needed, found)
    found[name] = EXPRESSIONS[name]

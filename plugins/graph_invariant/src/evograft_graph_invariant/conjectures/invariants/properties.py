"""The properties that bounds may suppose, of a stack of connected graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import rustworkx

from evograft_graph_invariant.conjectures.invariants.catalogue import PROPERTY_NAMES
from evograft_graph_invariant.conjectures.invariants.distances import compute_distances
from evograft_graph_invariant.conjectures.pools.stack import Adjacency, to_rustworkx

Flags = npt.NDArray[np.bool_]

CUBIC = 3
PLANAR_ORDER = 4
"""All graphs of up to this order are planar."""


def compute_properties(adjacency: Adjacency, names: tuple[str, ...] = PROPERTY_NAMES) -> dict[str, Flags]:
    """Return which graphs have each of the named properties."""
    return {name: _TESTS[name](adjacency) for name in names}


def _to_flags(values: Any) -> Flags:
    return np.asarray(values, dtype=np.bool_)


def _degrees(adjacency: Adjacency) -> npt.NDArray[np.int64]:
    degrees: npt.NDArray[np.int64] = adjacency.sum(axis=2)
    return degrees


def is_tree(adjacency: Adjacency) -> Flags:
    return _to_flags(_degrees(adjacency).sum(axis=1) == 2 * (adjacency.shape[1] - 1))


def is_bipartite(adjacency: Adjacency) -> Flags:
    """Return whether no edge joins two nodes at distances of equal parity from the first node."""
    parity = compute_distances(adjacency)[:, 0] % 2
    return _to_flags(~(adjacency & (parity[:, :, None] == parity[:, None, :])).any(axis=(1, 2)))


def is_triangle_free(adjacency: Adjacency) -> Flags:
    return _to_flags(~((_common(adjacency) > 0) & adjacency).any(axis=(1, 2)))


def is_square_free(adjacency: Adjacency) -> Flags:
    apart = ~np.eye(adjacency.shape[1], dtype=bool)
    return _to_flags(~((_common(adjacency) > 1) & apart).any(axis=(1, 2)))


def _common(adjacency: Adjacency) -> npt.NDArray[np.float32]:
    matrix = adjacency.astype(np.float32)
    product: npt.NDArray[np.float32] = matrix @ matrix
    return product


def is_claw_free(adjacency: Adjacency) -> Flags:
    """Return whether no node has three pairwise nonadjacent neighbours."""
    apart = ~adjacency & ~np.eye(adjacency.shape[1], dtype=bool)
    found = np.ones(len(adjacency), dtype=bool)
    for node in range(adjacency.shape[1]):
        near = adjacency[:, node]
        inside = (apart & near[:, :, None] & near[:, None, :]).astype(np.float32)
        found &= ((inside @ inside) * inside).sum(axis=(1, 2)) == 0
    return found


def is_chordal(adjacency: Adjacency) -> Flags:
    """Return whether nodes whose neighbours are pairwise adjacent can be removed until none is left."""
    n = adjacency.shape[1]
    apart = (~adjacency & ~np.eye(n, dtype=bool)).astype(np.float32)
    left = np.ones(adjacency.shape[:2], dtype=bool)
    for _ in range(n):
        near = (adjacency & left[:, None, :]).astype(np.float32)
        left &= ((near @ apart) * near).sum(axis=2) > 0
    return _to_flags(~left.any(axis=1))


def is_planar(adjacency: Adjacency) -> Flags:
    n = adjacency.shape[1]
    edges = _degrees(adjacency).sum(axis=1) // 2
    if n <= PLANAR_ORDER:
        return _to_flags(np.ones(len(adjacency), dtype=bool))
    found = _to_flags(edges <= max(n + 2, 8))  # every other connected graph has nine edges, and three more than nodes
    for place in np.flatnonzero(~found & (edges <= 3 * n - 6)):
        found[place] = rustworkx.is_planar(to_rustworkx(adjacency[place]))
    return found


def is_regular(adjacency: Adjacency) -> Flags:
    degrees = _degrees(adjacency)
    return _to_flags(degrees.min(axis=1) == degrees.max(axis=1))


def is_cubic(adjacency: Adjacency) -> Flags:
    return _to_flags((_degrees(adjacency) == CUBIC).all(axis=1))


def is_subcubic(adjacency: Adjacency) -> Flags:
    return _to_flags((_degrees(adjacency) <= CUBIC).all(axis=1))


def is_eulerian(adjacency: Adjacency) -> Flags:
    return _to_flags((_degrees(adjacency) % 2 == 0).all(axis=1))


def is_without_leaves(adjacency: Adjacency) -> Flags:
    return _to_flags((_degrees(adjacency) > 1).all(axis=1))


def is_two_connected(adjacency: Adjacency) -> Flags:
    """Return whether the graph has three nodes or more and stays connected without any one of them."""
    n = adjacency.shape[1]
    found = np.full(len(adjacency), n > 2)  # noqa: PLR2004 - two nodes are not 2-connected
    for node in range(n):
        rest = np.delete(np.delete(adjacency, node, axis=1), node, axis=2)
        found &= np.isfinite(compute_distances(rest)[:, 0]).all(axis=1)
    return found


def is_incomplete(adjacency: Adjacency) -> Flags:
    n = adjacency.shape[1]
    return _to_flags(_degrees(adjacency).sum(axis=1) < n * (n - 1))


def is_of_diameter_two(adjacency: Adjacency) -> Flags:
    near = adjacency | (_common(adjacency) > 0)
    return _to_flags((near | np.eye(adjacency.shape[1], dtype=bool)).all(axis=(1, 2)))


_TESTS: dict[str, Callable[[Adjacency], Flags]] = {
    "tree": is_tree,
    "bipartite": is_bipartite,
    "triangle_free": is_triangle_free,
    "square_free": is_square_free,
    "claw_free": is_claw_free,
    "chordal": is_chordal,
    "planar": is_planar,
    "regular": is_regular,
    "cubic": is_cubic,
    "subcubic": is_subcubic,
    "eulerian": is_eulerian,
    "without_leaves": is_without_leaves,
    "two_connected": is_two_connected,
    "incomplete": is_incomplete,
    "diameter_two": is_of_diameter_two,
}

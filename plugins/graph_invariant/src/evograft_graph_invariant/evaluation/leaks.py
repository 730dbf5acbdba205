"""Leaks: candidates that restate what they were to predict.

A formula over columns cannot: no column holds anything forbidden. These checks are for programs, which may compute by
hand what they may not call, and for mistakes of ours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.graphs.targets import Target, find_given_away
from evograft_graph_invariant.scoring.correlation import Matrix, center, rank_profile, rank_profiles
from evograft_graph_invariant.scoring.feature_table import FeatureTable

EXACT = 1e-9
"""Relative difference up to which two computations are the same quantity."""

EXACT_LINE = 1e-15
"""The same for 1 - |r|, which is of second order in the difference."""

ROUNDING = 1e-8
RANK = 1e-11
"""The size that counts as nothing in a solution, and among singular values."""

ENOUGH_TO_ORDER = 50
"""A program may order fewer graphs than these exactly as a forbidden quantity does, by its quality alone."""

SPARE = 20
"""The number of graphs, in excess of its parts, that a sum has to fit before it says anything."""


def find_equal_quantity(values: Vector, hidden: Mapping[str, Vector]) -> str | None:
    """Return the hidden quantity, forbidden or of a higher level, that the values are."""
    for name, quantity in hidden.items():
        if np.allclose(values, quantity, rtol=EXACT, atol=0.0):
            return name
    return None


def get_forbidden(table: FeatureTable, target: Target) -> dict[str, Vector]:
    """Return the target and the other quantities of a table that a candidate may not restate."""
    secrets = get_secrets(table)
    return {name: secrets[name] for name in target.forbidden if name in secrets}


def get_secrets(table: FeatureTable) -> dict[str, Vector]:
    """Return the hidden quantities, forbidden or of a higher level, that the columns do not give away."""
    given = find_given_away(table.columns)
    return {name: values for name, values in table.hidden.items() if name not in given}


def find_leak(values: Vector, table: FeatureTable, target: Target) -> str | None:
    """Return what a program's values restate on the graphs of one set, however few, or `None`.

    The order of a few graphs says nothing, and on a set of one kind a column may be the quantity itself.
    """
    if table.count < ENOUGH_TO_ORDER:
        return find_equal_quantity(values, get_forbidden(table, target))
    detector = LeakDetector(target, table)
    copied = detector.find_copied(values)
    made = "columns and what may not be used" if detector.is_made_of_forbidden(values) else None
    return copied or made


class LeakDetector:
    """A comparison of values on training and validation graphs with everything forbidden, which is prepared once."""

    def __init__(self, target: Target, table: FeatureTable) -> None:
        self._forbidden = get_forbidden(table, target)
        self._names = tuple(self._forbidden)
        forbidden = np.stack(list(self._forbidden.values()))
        self._rank_profiles = rank_profiles(forbidden)
        self._profiles = center(forbidden)
        columns = np.stack(list(table.columns.values()))
        self._sums = _Parts(columns, forbidden)
        sizes = np.stack([table.columns["n"], table.columns["n"] - 1.0, table.columns["m"]])
        self._products = _Parts(np.log(sizes), np.log(forbidden[(forbidden > 0).all(axis=1)]))

    def find_copied(self, values: Vector) -> str | None:
        """Return the forbidden quantity that orders all graphs exactly as the values do, or that they are a line in.

        A great formula may order 50 graphs without a mistake; one that errs on none of 250 restates the quantity.
        The line is looked for beside the ranks since rounding may split what ties in the other.
        """
        same_order = np.abs(self._rank_profiles @ rank_profile(values)) >= 1.0 - EXACT
        same_line = np.abs(self._profiles @ center(values)) >= 1.0 - EXACT_LINE
        copied = np.flatnonzero(same_order | same_line)
        return self._names[copied[0]] if len(copied) else None

    def is_made_of_forbidden(self, values: Vector) -> bool:
        """Whether the values are an exact sum of multiples, or product of powers, only with forbidden ones in it.

        The Wiener index is such a product: the mean distance times n(n-1)/2.
        """
        return self._sums.only_with(values) or bool((values > 0).all() and self._products.only_with(np.log(values)))


class _Parts:
    """The quantities that may be in a sum, and those that may not."""

    def __init__(self, allowed: Matrix, forbidden: Matrix) -> None:
        self._allowed = _basis(allowed)
        self._all = _basis(np.vstack([allowed, forbidden]))
        # With hardly more graphs than parts, anything is a sum of anything.
        self._tells = allowed.shape[1] >= len(allowed) + len(forbidden) + SPARE

    def only_with(self, values: Vector) -> bool:
        """Whether the forbidden ones are needed for the values, and make them exact."""
        return self._tells and _is_within(values, self._all) and not _is_within(values, self._allowed)


def _basis(parts: Matrix) -> Matrix:
    """Orthonormal columns that span the rows given, and a constant."""
    rows = np.vstack([np.ones(parts.shape[1]), parts])
    scaled = rows / np.abs(rows).max(axis=1, keepdims=True).clip(min=np.finfo(np.float64).tiny)
    left, sizes, _ = np.linalg.svd(scaled.T, full_matrices=False)
    basis: Matrix = left[:, sizes > RANK * sizes[0]]
    return basis


def _is_within(values: Vector, basis: Matrix) -> bool:
    profile = center(values)
    return bool(np.abs(profile - basis @ (basis.T @ profile)).max() <= ROUNDING)

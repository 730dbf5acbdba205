"""Finds candidates that restate what they were to predict."""

from __future__ import annotations

from collections.abc import Mapping

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.scoring import pearson, rank_profile

EXACT = 1e-9
"""Relative difference up to which two computations are the same quantity."""


def find_monotone_copy(values: Vector, forbidden: Mapping[str, Vector]) -> str | None:
    """The forbidden quantity that the values are a monotone map of, on training and validation graphs together.

    A great formula may order the 50 training graphs without a mistake; one that never errs on all of them restates
    the quantity. Equality up to a line is asked beside, since quantities that tie on many graphs need no exact ranks.
    """
    profile = rank_profile(values)
    for name, quantity in forbidden.items():
        if abs(profile @ rank_profile(quantity)) >= 1.0 - EXACT or abs(pearson(values, quantity)) >= 1.0 - EXACT**1.5:
            return name
    return None

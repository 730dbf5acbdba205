"""Reciprocal rank fusion: places in several orders, joined to one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def rank_places(scores: NDArray[Any], *, above: float = -np.inf) -> Floats:
    """Return the place of each, from 1, the highest score first and equal ones in their order.

    A place is infinite unless the score is `above`.
    """
    order = np.argsort(-scores, kind="stable")
    place = np.empty(len(scores))
    place[order] = np.arange(1, len(scores) + 1)
    place[~(scores > above)] = np.inf
    return place


def fuse(halves: Iterable[tuple[float, Floats]], *, k: float) -> Floats:
    """Return one score for each, at most 1, which the first in all orders has; 0 is in none.

    Args:
        halves: weights and places.
        k: as of `SearchOptions`.
    """
    known = [(weight, place) for weight, place in halves if weight > 0]
    most: float = sum(weight / (k + 1) for weight, _ in known)
    total: Floats = np.sum([weight / (k + place) for weight, place in known], axis=0)
    return total / most

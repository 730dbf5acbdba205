"""The chromatic number of one graph, by branching on the node with the fewest colours left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.invariants.bits import list_bits, pack_rows


def color(adjacency: npt.NDArray[np.bool_]) -> int:
    """Return the smallest number of colours of a proper colouring."""
    neighbors = pack_rows(adjacency)
    blank = PartialColoring((1 << len(neighbors)) - 1, (0,) * len(neighbors), 0)
    colors = 1
    while not _is_extendable(neighbors, blank, colors):
        colors += 1
    return colors


@dataclass(frozen=True)
class PartialColoring:
    """A colouring of some nodes."""

    uncolored: int
    around: Sequence[int]
    """The colours of each node's neighbours."""
    used: int
    """The number of colours."""


def _is_extendable(neighbors: Sequence[int], partial: PartialColoring, colors: int) -> bool:
    """Return whether a partial colouring can be completed with this many colours."""
    if not partial.uncolored:
        return True
    around = partial.around
    node = max(list_bits(partial.uncolored), key=lambda each: (around[each].bit_count(), neighbors[each].bit_count()))
    uncolored = partial.uncolored & ~(1 << node)
    for each in range(min(partial.used + 1, colors)):  # colours that are not used yet are alike: one of them is tried
        if around[node] >> each & 1:
            continue
        later = list(around)
        for neighbor in list_bits(neighbors[node] & uncolored):
            later[neighbor] |= 1 << each
        if _is_extendable(neighbors, PartialColoring(uncolored, later, max(partial.used, each + 1)), colors):
            return True
    return False

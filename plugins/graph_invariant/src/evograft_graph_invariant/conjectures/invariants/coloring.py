"""The chromatic number of one graph, by branching on the node with the fewest colours left."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def color(adjacency: npt.NDArray[np.bool_]) -> int:
    """Return the smallest number of colours of a proper colouring."""
    neighbors = [set(np.flatnonzero(row).tolist()) for row in adjacency]
    colors = 1
    while not _extend(neighbors, {}, colors):
        colors += 1
    return colors


def _extend(neighbors: list[set[int]], colored: dict[int, int], colors: int) -> bool:
    """Return whether a partial colouring can be completed with this many colours."""
    open_nodes = [node for node in range(len(neighbors)) if node not in colored]
    if not open_nodes:
        return True
    node = max(open_nodes, key=lambda each: (len(_colors_around(neighbors[each], colored)), len(neighbors[each])))
    taken = _colors_around(neighbors[node], colored)
    fresh = max(colored.values(), default=-1) + 1  # colours that are not used yet are alike: one of them is tried
    for each in range(min(fresh + 1, colors)):
        if each not in taken:
            colored[node] = each
            if _extend(neighbors, colored, colors):
                return True
            del colored[node]
    return False


def _colors_around(neighbors: set[int], colored: dict[int, int]) -> set[int]:
    return {colored[node] for node in neighbors if node in colored}

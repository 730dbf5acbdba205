"""Ranks of values within many groups of graphs: they are sorted once, and dealt out to the groups in their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.scoring.correlation import Vector, untied_profile

Numbers = npt.NDArray[np.intp]

_LEAST = 0.5
"""The least sum of squared deviations of ranks that are not all equal: of two."""


class RankGroups:
    """Groups of graphs by number, in layers: those of one layer share no graph.

    A layer has a place for every graph. What is left over in the layers is ranked too, and means nothing.
    """

    def __init__(self, layers: Sequence[Sequence[Numbers]], count: int) -> None:
        self._first_places = (np.arange(len(layers)) * count)[:, None]
        labels = np.full((len(layers), count), sum(map(len, layers)))
        label = 0
        for row, groups in zip(labels, layers, strict=True):
            for members in groups:
                row[members] = label
                label += 1
        self._sizes = np.bincount(labels.ravel())
        self._starts = self._sizes.cumsum() - self._sizes
        self._middles = (self._starts + self._sizes / 2).repeat(self._sizes)
        self._untied = np.concatenate([untied_profile(size) for size in self._sizes.tolist()])
        # NumPy sorts short integers in linear time.
        self._labels = labels.ravel().astype(np.min_scalar_type(len(self._sizes)))

    def profiles(self, values: Vector) -> Vector:
        """For each place, layer after layer, the graph's entry in the rank profile of its group there."""
        order = values.argsort()
        ordered = values.take(order)
        places = (self._first_places + order).ravel()
        # No place is out of range; clipping costs less than checking.
        places = places.take(self._labels.take(places, mode="clip").argsort(kind="stable"), mode="clip")
        result = np.empty(len(places))
        if np.count_nonzero(ordered[1:] == ordered[:-1]):
            # A place in any layer, wrapped around, is the graph's number.
            result[places] = self._tied(values.take(places, mode="wrap"))
        else:
            result[places] = self._untied
        return result

    def _tied(self, ordered: Vector) -> Vector:
        """Return the profiles of values that stand in order, group after group; equal ones share their mean rank."""
        is_first = np.ones(len(ordered) + 1, dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:-1])
        is_first[self._starts] = True
        bounds = is_first.nonzero()[0]
        firsts, ends = bounds[:-1], bounds[1:]
        deviations = ((firsts + ends) / 2).repeat(ends - firsts) - self._middles
        squares = np.add.reduceat(deviations * deviations, self._starts)
        # Where all values of a group are equal, so are its deviations: they are 0.
        lengths = np.sqrt(np.maximum(squares, _LEAST))
        profiles: Vector = deviations / lengths.repeat(self._sizes)
        return profiles

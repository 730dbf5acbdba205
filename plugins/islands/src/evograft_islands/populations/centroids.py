"""A MAP-Elites archive whose cells follow the run's own candidates: CVT-MAP-Elites.

A grid needs ranges that somebody knows beforehand, and its cells multiply with each axis. A centroidal Voronoi
tessellation (Vassiliades, Chatzilygeroudis and Mouret, "Using Centroidal Voronoi Tessellations to Scale Up the
Multidimensional Archive of Phenotypic Elites Algorithm", IEEE Transactions on Evolutionary Computation 22(4), 2018) has
as many cells as one likes, whatever the number of axes. There the centroids come from points that are drawn evenly;
programs fill little of the space that their measures span, so here they come from the candidates.

The arithmetic is that of single floats in a fixed order, without a library: what k-means of scikit-learn or SciPy says
in its last bits depends on threads and the processor, and a bit decides whose cell a candidate is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from evograft_hookspecs import Trial
from evograft_islands.elite import Elite
from evograft_islands.populations.archive import CellArchive

Point = tuple[float, ...]
Measured = tuple[tuple[str, float], ...]
"""Descriptors by name."""

DOUBLINGS = 4
"""Centroids are computed when there is a candidate for each cell, and as often again when there are twice as many."""
ROUNDS = 8
"""Of Lloyd's algorithm at most."""


@dataclass(frozen=True)
class Space:
    """The axes of an archive, each from 0 to 1 over its range."""

    ranges: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, sample: Sequence[Measured]) -> Space:
        """Return the space that a sample spans."""
        found: dict[str, list[float]] = {}
        for measured in sample:
            for name, value in measured:
                found.setdefault(name, []).append(value)
        return cls({name: (min(values), max(values)) for name, values in sorted(found.items())})

    def place(self, measured: Measured) -> Point:
        """Return where something lies; what was not measured is as low as can be."""
        values = dict(measured)
        return tuple(_share(values.get(name, low), low, high) for name, (low, high) in self.ranges.items())


@dataclass
class CentroidArchive(CellArchive):
    """Keeps the best of each cell; until there is a candidate for each, all that differ have one of their own."""

    cells: int
    axes: Mapping[str, tuple[float, float]]
    """The descriptors that count, with their ranges; empty: all, over the ranges that candidates have."""
    centroids: list[Point] = field(default_factory=list)
    _space: Space | None = None
    _held: dict[int, Elite] = field(default_factory=dict)
    """The elite of each cell."""
    _sample: dict[Measured, Elite] = field(default_factory=dict)
    """The best of each place; empty once centroids stay as they are."""
    _doublings: int = 0

    @property
    def elites(self) -> list[Elite]:
        return list(self._held.values() if self.centroids else self._sample.values())

    def tell(self, elite: Elite, trial: Trial, *, language: str) -> None:
        descriptors: Mapping[str, float] = trial.evaluation.descriptors
        if not descriptors and not self.axes and trial.candidate is not None:
            from evograft_novelty.structure import measure_structure

            descriptors = measure_structure(trial.candidate.files, language)
        self.offer(elite, descriptors)

    def offer(self, elite: Elite, descriptors: Mapping[str, float]) -> None:
        names = self.axes or descriptors
        if not names or any(name not in descriptors for name in names):
            return
        measured = tuple((name, descriptors[name]) for name in sorted(names))
        if self._doublings <= DOUBLINGS:
            known = self._sample.get(measured)
            if known is None or elite.score > known.score:
                self._sample[measured] = elite
            if len(self._sample) >= self.cells << self._doublings:
                self._tessellate()
                return
        if self._space is not None:
            self._put(elite, self._space.place(measured))

    def _tessellate(self) -> None:
        """Compute the centroids anew, and put all that is known into its cell."""
        self._space = Space(self.axes) if self.axes else Space.of(list(self._sample))
        points = [self._space.place(measured) for measured in self._sample]
        self.centroids = find_centroids(points, self.cells)
        self._held = {}
        for point, elite in zip(points, self._sample.values(), strict=True):
            self._put(elite, point)
        self._doublings += 1
        if self._doublings > DOUBLINGS:
            self._sample = {}

    def _put(self, elite: Elite, point: Point) -> None:
        cell = find_nearest(point, self.centroids)
        held = self._held.get(cell)
        if held is None or elite.score > held.score:
            self._held[cell] = elite


def find_centroids(points: Sequence[Point], count: int) -> list[Point]:
    """Return the centroids of a tessellation by Lloyd's algorithm (1982), the same for the same points in this order.

    It begins with the first point and, again and again, the one that is furthest from those chosen (Gonzalez 1985).
    """
    centroids = _spread(points, count)
    cells: list[int] = []
    for _ in range(ROUNDS):
        before, cells = cells, [find_nearest(point, centroids) for point in points]
        if cells == before:
            break
        members: dict[int, list[Point]] = {}
        for point, cell in zip(points, cells, strict=True):
            members.setdefault(cell, []).append(point)
        for cell, inside in members.items():
            centroids[cell] = tuple(fsum(values) / len(inside) for values in zip(*inside, strict=True))
    return centroids


def find_nearest(point: Point, centroids: Sequence[Point]) -> int:
    """Return the place of the centroid that is nearest, of equals the first."""
    return min(range(len(centroids)), key=lambda place: _distance(point, centroids[place]))


def _spread(points: Sequence[Point], count: int) -> list[Point]:
    chosen = [points[0]]
    distances = [_distance(point, points[0]) for point in points]
    while len(chosen) < min(count, len(points)):
        chosen.append(points[max(range(len(points)), key=distances.__getitem__)])
        distances = [min(known, _distance(point, chosen[-1])) for known, point in zip(distances, points, strict=True)]
    return chosen


def _distance(one: Point, other: Point) -> float:
    """Return the square of a distance; `fsum`, since the sum of floats differs between versions of Python."""
    return fsum([(a - b) * (a - b) for a, b in zip(one, other, strict=True)])


def _share(value: float, low: float, high: float) -> float:
    """Return where a value lies in a range, halved first: the span of two finite numbers may be infinite."""
    span = high / 2 - low / 2
    return (min(max(value, low), high) / 2 - low / 2) / span if span else 0.0

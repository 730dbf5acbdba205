"""The map of elites: candidates by simplicity and novelty, five by five cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evograft_graph_invariant.records.summary.model import MapPoint
from evograft_report.toolkit.scale import scale

BINS = 5

Novelty = Callable[[MapPoint], float | None]


@dataclass(frozen=True)
class Cell:
    """A cell that is not empty."""

    column: int
    """Of simplicity, from the left."""
    row: int
    """Of novelty, from below."""
    count: int
    best: MapPoint
    score: float
    """The best one's."""


@dataclass(frozen=True)
class EliteMap:
    """All cells, and the ranges that they cut."""

    cells: tuple[Cell, ...]
    simplicity: tuple[float, float]
    novelty: tuple[float, float]


def build_elite_map(points: Sequence[MapPoint], novelty: Novelty) -> EliteMap | None:
    """Build the map over the range that the candidates cover; `None` if none has all three numbers."""
    placed = [
        (point.simplicity, height, point.score, point)
        for point in points
        if point.simplicity is not None and (height := novelty(point)) is not None and point.score is not None
    ]
    if not placed:
        return None
    across = scale([simplicity for simplicity, _, _, _ in placed], 0, BINS)
    up = scale([height for _, height, _, _ in placed], 0, BINS)
    cells: dict[tuple[int, int], Cell] = {}
    for simplicity, height, score, point in placed:
        place = _bin(across.at(simplicity)), _bin(up.at(height))
        cell = cells.get(place) or Cell(*place, 0, point, score)
        best, top = (point, score) if score > cell.score else (cell.best, cell.score)
        cells[place] = Cell(*place, cell.count + 1, best, top)
    return EliteMap(tuple(cells[place] for place in sorted(cells)), (across.low, across.high), (up.low, up.high))


def get_edges(ends: tuple[float, float]) -> tuple[float, ...]:
    """Return the borders of the cells along one axis."""
    low, high = ends
    return tuple(low * (1 - place / BINS) + high * (place / BINS) for place in range(BINS + 1))


def _bin(place: float) -> int:
    return min(int(place), BINS - 1)

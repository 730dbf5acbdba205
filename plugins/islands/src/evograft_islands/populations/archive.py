"""The MAP-Elites archive: the space of descriptors in cells, each of which keeps its best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evograft_hookspecs import Trial
from evograft_islands.elite import Elite

if TYPE_CHECKING:
    import random

Cell = tuple[int, ...]


class CellArchive(ABC):
    """The best of each cell of a space of descriptors."""

    @property
    @abstractmethod
    def elites(self) -> list[Elite]:
        """The best of each cell that is not empty."""

    @abstractmethod
    def tell(self, elite: Elite, trial: Trial, *, language: str) -> None:
        """Offer a trial's elite to the cell that its descriptors lie in.

        Args:
            elite: what the trial is remembered as.
            trial: with its evaluation.
            language: of the problem.
        """

    def draw(self, rng: random.Random, count: int) -> list[Elite]:
        """Draw up to `count` cells, all equally likely."""
        elites = self.elites
        return rng.sample(elites, min(count, len(elites)))


@dataclass
class Archive(CellArchive):
    """A grid over descriptors; its size is bounded by the number of cells."""

    axes: Mapping[str, tuple[float, float]]
    """Descriptor name to the range that is cut into bins; values beyond it belong to the outermost bins."""
    bins: int
    _elites: list[Elite] = field(default_factory=list)
    """In the order in which their cells were first filled."""
    _places: dict[Cell, int] = field(default_factory=dict)

    @property
    def elites(self) -> list[Elite]:
        return self._elites

    def tell(self, elite: Elite, trial: Trial, *, language: str) -> None:  # noqa: ARG002 - the evaluator measures
        self.offer(elite, trial.evaluation.descriptors)

    def offer(self, elite: Elite, descriptors: Mapping[str, float]) -> bool:
        """Accept an elite if its cell is empty or holds one that scores lower."""
        cell = self.find_cell(descriptors)
        if cell is None:
            return False
        place = self._places.setdefault(cell, len(self.elites))
        if place == len(self.elites):
            self.elites.append(elite)
            return True
        if elite.score <= self.elites[place].score:
            return False
        self.elites[place] = elite
        return True

    def find_cell(self, descriptors: Mapping[str, float]) -> Cell | None:
        """Return the cell that these descriptors lie in; `None` if one of the axes was not measured."""
        if any(name not in descriptors for name in self.axes):
            return None
        return tuple(self._bin(descriptors[name], low, high) for name, (low, high) in self.axes.items())

    def _bin(self, value: float, low: float, high: float) -> int:
        # Clamped before it is scaled: a far outlier over a narrow range would overflow to infinity.
        share = (min(max(value, low), high) - low) / (high - low)
        return min(int(share * self.bins), self.bins - 1)

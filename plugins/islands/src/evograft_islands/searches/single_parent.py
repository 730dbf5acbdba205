"""Searches that remember a single program instead of a population: independent samples, and one chain."""

from __future__ import annotations

from abc import abstractmethod

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.elite import Elite, find_elite
from evograft_islands.options import IslandOptions
from evograft_islands.searches.search import Search, build_selection


class SingleParentSearch(Search):
    """Starts every trial from the same program, until another one takes its place.

    Args:
        place: the name, temperature and strategy of all its trials.
    """

    islands = 1

    def __init__(self, place: IslandOptions) -> None:
        self.head: Elite | None = None
        """The parent of the trials to come; `None`: they start afresh."""
        self._place = place

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:  # noqa: ARG002 - wherever it was made
        elite = find_elite(trial)
        if elite is not None and self._accepts(trial, elite.score):
            self.head = elite

    def select(self, ctx: Context, *, turn: int) -> Selection:  # noqa: ARG002 - nothing is left to chance
        return build_selection(self._place, (self.head,) if self.head else ())

    @abstractmethod
    def _accepts(self, trial: Trial, score: float) -> bool:
        """Return whether a trial becomes the head."""


class BestOfN(SingleParentSearch):
    """Independent samples: all start from the best seed program, of equals the first, and none from a sample.

    Nor is a sample told of another one.
    """

    def select(self, ctx: Context, *, turn: int) -> Selection:
        return super().select(ctx, turn=turn).model_copy(update={"independent": True})

    def _accepts(self, trial: Trial, score: float) -> bool:
        return trial.selection is None and (self.head is None or score > self.head.score)


class Sequential(SingleParentSearch):
    """One chain by greedy hill climbing: a trial at least as good as the head takes its place.

    Equals too, or the chain would stand still wherever most changes make no difference.
    """

    def _accepts(self, trial: Trial, score: float) -> bool:  # noqa: ARG002 - seeds are links like all others
        return self.head is None or score >= self.head.score

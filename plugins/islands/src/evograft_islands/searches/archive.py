"""The search by an archive alone: parents come from the best of each cell, all cells equally likely."""

from __future__ import annotations

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.elite import find_elite
from evograft_islands.options import IslandOptions
from evograft_islands.populations.archive import Archive
from evograft_islands.searches.search import Search, build_selection


class ArchiveSearch(Search):
    """MAP-Elites: every trial starts from elites of random cells.

    Args:
        archive: an empty one.
        place: the name, temperature, strategy and number of parents of all its trials.
    """

    islands = 1

    def __init__(self, archive: Archive, place: IslandOptions) -> None:
        self.archive = archive
        self._place = place

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:  # noqa: ARG002 - wherever it was made
        elite = find_elite(trial)
        if elite is not None:
            self.archive.offer(elite, trial.evaluation.descriptors)

    def select(self, ctx: Context, *, turn: int) -> Selection:  # noqa: ARG002 - cells are drawn
        parents = self.archive.draw(ctx.rng, self._place.parent_count)
        return build_selection(self._place, parents)

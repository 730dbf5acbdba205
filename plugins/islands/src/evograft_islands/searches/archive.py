"""The search by an archive alone: parents come from the best of each cell, all cells equally likely."""

from __future__ import annotations

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.elite import find_elite
from evograft_islands.options import ArchiveOptions, IslandOptions
from evograft_islands.populations.archive import Archive, CellArchive
from evograft_islands.populations.centroids import CentroidArchive
from evograft_islands.searches.search import Search, build_selection, find_language


class ArchiveSearch(Search):
    """MAP-Elites: every trial starts from elites of random cells.

    Args:
        archive: an empty one.
        place: the name, temperature, strategy and number of parents of all its trials.
    """

    islands = 1

    def __init__(self, archive: CellArchive, place: IslandOptions) -> None:
        self.archive = archive
        self._place = place

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:  # noqa: ARG002 - wherever it was made
        elite = find_elite(trial)
        if elite is not None:
            self.archive.tell(elite, trial, language=find_language(ctx))

    def select(self, ctx: Context, *, turn: int) -> Selection:  # noqa: ARG002 - cells are drawn
        parents = self.archive.draw(ctx.rng, self._place.parent_count)
        return build_selection(self._place, parents).model_copy(update={"cells": len(self.archive.elites)})


def build_archive(options: ArchiveOptions) -> CellArchive:
    """Return an empty archive: a grid, or cells around centroids."""
    if options.cells is not None:
        return CentroidArchive(options.cells, options.axes)
    return Archive(options.axes, options.bins)

"""The `select` verb: islands with ring migration and a MAP-Elites archive next to them, or a baseline instead."""

from __future__ import annotations

from typing import ClassVar

from evograft_hookspecs import CONTRACT, Context, Manifest, Selection, Trial, hookimpl
from evograft_islands.archive import Archive
from evograft_islands.baselines import BASELINES, SelectionBaseline
from evograft_islands.island import Elite, Island
from evograft_islands.options import IslandsOptions
from evograft_islands.population import IslandPopulation


class IslandsPlugin:
    """Selects parents from islands that live apart and at intervals send their best to a neighbour."""

    manifest: ClassVar = Manifest(
        name="islands",
        description="Parents from islands of elites with ring migration, and from a MAP-Elites archive.",
        contract=CONTRACT,
        thread_safe=True,
    )
    Options: ClassVar = IslandsOptions

    def __init__(self, options: IslandsOptions) -> None:
        self.options = options
        grid = options.archive
        self.population = IslandPopulation(
            islands=[Island(options.elites, options.distinct_scores) for _ in options.islands],
            archive=Archive(grid.axes, grid.bins) if grid else None,
            migration_every=options.migration_every,
            migrants=options.migrants,
        )
        self.baseline = BASELINES[options.baseline]() if options.baseline else None

    @hookimpl
    def select(self, ctx: Context, committed: tuple[Trial, ...]) -> Selection:
        if self.baseline is not None:
            return self._select_by(self.baseline, committed)
        for trial in committed:
            self.population.tell(trial, generation_size=ctx.generation_size)
        place = (ctx.trial or 0) % len(self.options.islands)
        chosen = self.options.islands[place]
        parents = self._draw_parents(ctx, place)
        return Selection(
            parents=tuple(elite.number for elite in parents),
            island=place,
            island_name=chosen.name,
            temperature=chosen.temperature,
            strategy=chosen.strategy,
            incumbent=self._find_incumbent(self.population.islands[place], parents),
        )

    def _select_by(self, baseline: SelectionBaseline, committed: tuple[Trial, ...]) -> Selection:
        for trial in committed:
            baseline.tell(trial)
        place = self.options.place
        return Selection(
            parents=(baseline.head.number,) if baseline.head else (),
            island_name=place.name,
            temperature=place.temperature,
            strategy=place.strategy,
        )

    def _draw_parents(self, ctx: Context, place: int) -> list[Elite]:
        count = self.options.islands[place].parent_count
        archive = self.population.archive
        if archive is not None and archive.elites and ctx.rng.random() < self.options.archive_share:
            return archive.draw(ctx.rng, count)
        return self._find_source(place).draw(ctx.rng, count, tournament=self.options.tournament)

    def _find_source(self, place: int) -> Island:
        """Return the island itself, or the next one that can lend parents if it has none and may borrow."""
        islands = self.population.islands
        ring = islands[place:] + islands[:place] if self.options.when_empty == "borrow" else [islands[place]]
        return next((island for island in ring if island.elites), islands[place])

    def _find_incumbent(self, island: Island, parents: list[Elite]) -> int | None:
        match self.options.incumbent:
            case "worst" if island.full:
                return island.elites[-1].number
            case "best" if island.full:
                return island.elites[0].number
            case "parent" if parents:
                return parents[0].number
        return None

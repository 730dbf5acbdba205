"""The search by islands: populations that live apart, with an archive next to them."""

from __future__ import annotations

from evograft_hookspecs import Context, Selection, Trial
from evograft_islands.elite import Elite
from evograft_islands.options import IslandsOptions
from evograft_islands.populations.island import Island
from evograft_islands.populations.population import IslandPopulation
from evograft_islands.searches.archive import build_archive
from evograft_islands.searches.search import Search, find_language


class IslandSearch(Search):
    """Draws parents from islands in turn, or from the archive; at intervals islands send their best to a neighbour."""

    def __init__(self, options: IslandsOptions) -> None:
        self._options = options
        self.population = IslandPopulation(
            islands=[Island(options.elites, options.distinct_scores) for _ in options.islands],
            archive=build_archive(options.archive) if options.archive else None,
            migration_every=options.migration_every,
            migrants=options.migrants,
        )

    @property
    def islands(self) -> int:
        return len(self._options.islands)

    @property
    def incumbent(self) -> int | None:
        best = self.population.best
        return best.number if best and self._options.incumbent == "overall" else None

    def tell(self, ctx: Context, trial: Trial, *, home: int | None) -> None:
        self.population.tell(trial, home=home, generation_size=ctx.generation_size, language=find_language(ctx))

    def select(self, ctx: Context, *, turn: int) -> Selection:
        place = turn % len(self._options.islands)
        chosen = self._options.islands[place]
        parents = self._draw_parents(ctx, place)
        return Selection(
            parents=tuple(elite.number for elite in parents),
            island=place,
            island_name=chosen.name,
            temperature=chosen.temperature,
            strategy=chosen.strategy,
            incumbent=self._find_incumbent(self.population.islands[place], parents),
            cells=len(self.population.archive.elites) if self.population.archive else 0,
        )

    def _draw_parents(self, ctx: Context, place: int) -> list[Elite]:
        count = self._options.islands[place].parent_count
        archive = self.population.archive
        if archive is not None and archive.elites and ctx.rng.random() < self._options.archive_share:
            return archive.draw(ctx.rng, count)
        return self._find_source(place).draw(ctx.rng, count, tournament=self._options.tournament)

    def _find_source(self, place: int) -> Island:
        """Return the island itself, or the next one that can lend parents if it has none of its own and may borrow."""
        islands = self.population.islands
        ring = islands[place:] + islands[:place]
        own = islands[place]
        if self._options.seeds == "fallback" and (lender := next(filter(self.population.has_offspring, ring), None)):
            return lender
        if self._options.when_empty == "borrow":
            return next((island for island in ring if island.elites), own)
        return own

    def _find_incumbent(self, island: Island, parents: list[Elite]) -> int | None:
        match self._options.incumbent:
            case "worst" if island.full:
                return island.elites[-1].number
            case "best" if island.full:
                return island.elites[0].number
            case "parent" if parents:
                return parents[0].number
        return self.incumbent

"""The state of the search: islands and archive as a fold over the committed trials, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evograft_hookspecs import Trial
from evograft_islands.elite import Elite, find_elite, rank
from evograft_islands.populations.archive import CellArchive
from evograft_islands.populations.island import Island


@dataclass
class IslandPopulation:
    """Islands and archive, and how far the next migration is."""

    islands: list[Island]
    archive: CellArchive | None
    migration_every: int
    """Generations between two migrations; 0: islands stay alone."""
    migrants: int
    commits: int = 0
    """Trials seen after the seeds."""
    seeds: set[int] = field(default_factory=set)
    """The seed programs that are elites, which are those of every island."""

    @property
    def best(self) -> Elite | None:
        """The best elite of all islands; `None`: there is none."""
        return min((island.elites[0] for island in self.islands if island.elites), key=rank, default=None)

    def tell(self, trial: Trial, *, home: int | None, generation_size: int, language: str = "") -> None:
        """Fold one row in.

        Args:
            trial: the row.
            home: the island that it was selected for; `None`: it was selected by another search, or is a seed.
            generation_size: how many commits make a generation.
            language: of the problem.
        """
        self._admit(trial, home, language)
        if trial.selection is None:
            return
        self.commits += 1
        if self.migration_every and self.commits % (self.migration_every * generation_size) == 0:
            migrate(self.islands, migrants=self.migrants)

    def _admit(self, trial: Trial, home: int | None, language: str) -> None:
        """Offer a seed to every island, and any other trial to its own, or to each in turn if it has none."""
        elite = find_elite(trial)
        if elite is None:
            return
        if self.archive is not None:
            self.archive.tell(elite, trial, language=language)
        if trial.selection is not None:
            self.islands[(trial.number if home is None else home) % len(self.islands)].offer(elite)
            return
        self.seeds.add(elite.number)
        for island in self.islands:
            island.offer(elite)

    def has_offspring(self, island: Island) -> bool:
        """Return whether an island has more than seed programs."""
        return any(elite.number not in self.seeds for elite in island.elites)


def migrate(islands: Sequence[Island], *, migrants: int) -> None:
    """Offer copies of each island's best to its right neighbour: ring migration.

    All move at once: nobody travels two islands in one migration.
    """
    travellers = [island.elites[:migrants] for island in islands]
    for place, group in enumerate(travellers):
        neighbour = islands[(place + 1) % len(islands)]
        for elite in group:
            neighbour.offer(elite)

"""The state of the search: islands and archive as a fold over the committed trials, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evograft_hookspecs import Trial
from evograft_islands.archive import Archive
from evograft_islands.island import Island, find_elite
from evograft_islands.seen_trials import SeenTrials


@dataclass
class IslandPopulation:
    """Everything `select` knows. It depends only on the committed rows, not on how they were cut into calls."""

    islands: list[Island]
    archive: Archive | None
    migration_every: int
    """Generations between two migrations; 0: islands stay alone."""
    migrants: int
    commits: int = 0
    """Trials seen after the seeds."""
    committed: SeenTrials = field(default_factory=SeenTrials)

    def tell(self, trial: Trial, *, generation_size: int) -> None:
        """Fold one row in; skip a row that was seen before."""
        if not self.committed.add(trial.number):
            return
        self._admit(trial)
        if trial.selection is None:
            return
        self.commits += 1
        if self.migration_every and self.commits % (self.migration_every * generation_size) == 0:
            migrate(self.islands, migrants=self.migrants)

    def _admit(self, trial: Trial) -> None:
        """Offer a seed to every island, and any other trial to the one that it was selected for."""
        elite = find_elite(trial)
        if elite is None:
            return
        if self.archive is not None:
            self.archive.offer(elite, trial.evaluation.descriptors)
        if trial.selection is not None:
            self.islands[trial.selection.island % len(self.islands)].offer(elite)
            return
        for island in self.islands:
            island.offer(elite)


def migrate(islands: Sequence[Island], *, migrants: int) -> None:
    """Offer copies of each island's best to its right neighbour: ring migration.

    All move at once: nobody travels two islands in one migration.
    """
    travellers = [island.elites[:migrants] for island in islands]
    for place, group in enumerate(travellers):
        neighbour = islands[(place + 1) % len(islands)]
        for elite in group:
            neighbour.offer(elite)

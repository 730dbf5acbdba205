"""Ring migration: copies of each island's best go to its right neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from evograft_islands.island import Island


def migrate(islands: Sequence[Island], *, migrants: int) -> None:
    """Offers each island's best to the next one, all at once: nobody travels two islands in one migration."""
    travellers = [island.elites[:migrants] for island in islands]
    for place, group in enumerate(travellers):
        neighbour = islands[(place + 1) % len(islands)]
        for elite in group:
            neighbour.offer(elite)

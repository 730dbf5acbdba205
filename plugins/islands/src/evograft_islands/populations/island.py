"""One island: a bounded population of elites, best first, and how parents are drawn from it."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evograft_islands.elite import Elite, rank

if TYPE_CHECKING:
    import random


@dataclass
class Island:
    """A population with a cap, in which no candidate stands twice."""

    cap: int
    distinct_scores: bool = False
    """Whether a newcomer is refused when another candidate has its score already."""
    elites: list[Elite] = field(default_factory=list)
    """Best first."""
    _held: dict[str, Elite] = field(default_factory=dict, compare=False, repr=False)

    @property
    def full(self) -> bool:
        return len(self.elites) >= self.cap

    def offer(self, elite: Elite) -> bool:
        """Accept an elite if there is room or if it scores higher than the worst, which then leaves.

        Of one candidate with two scores the higher is kept.
        """
        held = self._held.get(elite.candidate)
        if held is not None and elite.score <= held.score:
            return False
        if self.distinct_scores and self._has_score(elite.score):
            return False
        if held is None and self.full and elite.score <= self.elites[-1].score:
            return False
        self._drop(held) if held else self._make_room()
        insort(self.elites, elite, key=rank)
        self._held[elite.candidate] = elite
        return True

    def draw(self, rng: random.Random, count: int, *, tournament: int) -> list[Elite]:
        """Draw up to `count` different elites, each the best of `tournament` random ones."""
        places: list[int] = []
        for _ in range(min(count, len(self.elites))):
            left = len(self.elites) - len(places)
            place = min(rng.randrange(left) for _ in range(tournament))
            for taken in sorted(places):
                place += place >= taken
            places.append(place)
        return [self.elites[place] for place in places]

    def _has_score(self, score: float) -> bool:
        place = bisect_left(self.elites, (-score, -1), key=rank)
        return place < len(self.elites) and self.elites[place].score == score

    def _make_room(self) -> None:
        if self.full:
            self._drop(self.elites[-1])

    def _drop(self, elite: Elite) -> None:
        del self.elites[bisect_left(self.elites, rank(elite), key=rank)]
        del self._held[elite.candidate]

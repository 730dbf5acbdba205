"""How the members of a composed search stand: what each has found of late, at what cost, and who has stalled."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evograft_hookspecs import Trial

LEAST_COST = 0.01
"""Of the most expensive member's: one that costs nothing would else get all trials, however little it finds."""


@dataclass
class Standing:
    """What the commits so far say about a member. All but the stalled trials fade with each commit."""

    trials: float = 0.0
    found: float = 0.0
    """Trials that scored higher than all before, each by the size of its gain: 1 from the mean of late gains on."""
    dollars: float = 0.0
    stalled: int = 0
    """Its trials since it found something, or since all members had stalled."""


@dataclass
class Standings:
    """A fold over commits: a bandit's view of the members, and a count of what each has not found."""

    members: int
    stalled_after: int
    """Trials; 0: never."""
    memory: int
    """A trial counts half as much after about 0.7 times as many commits."""
    best: float | None = None
    """The highest score so far."""
    gains: float = 0.0
    """The sum of late gains of the best score, of all members; it fades with each commit, as their number does."""
    finds: float = 0.0
    """How many these are."""
    is_priced: bool = True
    """Whether the price of all trials is known."""
    each: list[Standing] = field(init=False)

    def __post_init__(self) -> None:
        self.each = [Standing() for _ in range(self.members)]

    def tell(self, trial: Trial, member: int | None, *, dollars: float | None) -> None:
        """Fold one row in.

        Args:
            trial: the row.
            member: whose it is; `None`: nobody's.
            dollars: what it has cost; `None`: nobody knows.
        """
        gain = self._find_gain(trial)
        if member is not None:
            self.is_priced &= dollars is not None
            self._fade()
            self._count(self.each[member], gain=gain, dollars=dollars or 0.0)

    @property
    def active(self) -> list[int]:
        """Return the members that have not stalled: never nobody."""
        return [place for place, member in enumerate(self.each) if not self._has_stalled(member)]

    def draw(
        self, rng: random.Random, shares: Sequence[float], *, untried: Callable[[Sequence[float], int], int]
    ) -> int:
        """Return an active member by Thompson sampling: what its trials find, divided by what one of them costs.

        Args:
            rng: draws.
            shares: how much each member is preferred beforehand.
            untried: chooses by shares among those that nothing is known about.
        """
        active = self.active
        if new := [place for place in active if not self.each[place].trials]:
            return new[untried([shares[place] for place in new], rng.getrandbits(32))]
        costs = self._costs(active)
        return max(active, key=lambda place: shares[place] * self._sample(rng, place) / costs[place])

    def _sample(self, rng: random.Random, place: int) -> float:
        member = self.each[place]
        return rng.betavariate(1.0 + member.found, 1.0 + max(0.0, member.trials - member.found))

    def _costs(self, places: Sequence[int]) -> dict[int, float]:
        """Return what a trial of each costs; 1 where nothing costs, or nobody knows what."""
        means = {place: self.each[place].dollars / self.each[place].trials for place in places}
        most = max(means.values())
        return {
            place: max(mean, LEAST_COST * most) if self.is_priced and most else 1.0 for place, mean in means.items()
        }

    def _find_gain(self, trial: Trial) -> float:
        """Return by how much a trial is better than all before it; infinite: it is the first with a score."""
        if trial.score is None or (self.best is not None and trial.score <= self.best):
            return 0.0
        gain = math.inf if self.best is None else trial.score - self.best
        self.best = trial.score
        return gain

    def _weigh(self, gain: float) -> float:
        """Return how much a gain counts: as its share of the mean of late ones, at most 1."""
        if not 0.0 < gain < math.inf:
            return float(gain > 0.0)
        self.gains += gain
        self.finds += 1.0
        return min(1.0, gain / self.gains * self.finds)

    def _fade(self) -> None:
        kept = 1.0 - 1.0 / self.memory
        self.gains *= kept
        self.finds *= kept
        for member in self.each:
            member.trials *= kept
            member.found *= kept
            member.dollars *= kept

    def _count(self, member: Standing, *, gain: float, dollars: float) -> None:
        member.trials += 1.0
        member.found += self._weigh(gain)
        member.dollars += dollars
        member.stalled = 0 if gain else member.stalled + 1
        if all(map(self._has_stalled, self.each)):
            for every in self.each:
                every.stalled = 0

    def _has_stalled(self, member: Standing) -> bool:
        return 0 < self.stalled_after <= member.stalled

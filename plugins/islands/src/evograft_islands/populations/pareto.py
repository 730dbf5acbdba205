"""Populations by several measures at once: NSGA-II's ranks and crowding, and GEPA's frontier of cases."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evograft_hookspecs import dominates
from evograft_islands.elite import Elite

Measures = Mapping[str, float]
"""What a candidate is worth by each measure; higher is better."""


@dataclass(frozen=True)
class MeasuredElite:
    """An elite with what it is worth."""

    elite: Elite
    values: Measures


class MeasuredPopulation(ABC):
    """Elites that are worth keeping by one measure or another."""

    @abstractmethod
    def offer(self, elite: Elite, values: Measures) -> None:
        """Keep an elite if it is worth it, and drop what no longer is."""

    @abstractmethod
    def draw(self, rng: random.Random, count: int) -> list[Elite]:
        """Draw up to a number of different elites."""


@dataclass
class RankedPopulation(MeasuredPopulation):
    """The best by rank (how many fronts are better) and, within a front, those with the most room around them."""

    cap: int
    members: list[MeasuredElite] = field(default_factory=list)
    """Best first."""

    def offer(self, elite: Elite, values: Measures) -> None:
        if any(each.elite.candidate == elite.candidate for each in self.members):
            return
        self.members = sort_by_rank([*self.members, MeasuredElite(elite, values)])[: self.cap]

    def draw(self, rng: random.Random, count: int) -> list[Elite]:
        """Draw each as the better of two random ones: the members are sorted."""
        left = [each.elite for each in self.members]
        return [left.pop(min(rng.randrange(len(left)), rng.randrange(len(left)))) for _ in range(min(count, len(left)))]


def sort_by_rank(members: Sequence[MeasuredElite]) -> list[MeasuredElite]:
    """Return members front by front; within a front those with the most room first, of equals the older trial."""
    ordered, left = [], list(members)
    while left:
        front = [one for one in left if not any(dominates(other.values, one.values) for other in left)]
        room = measure_crowding(front)
        ordered += sorted(front, key=lambda each: (-room[each.elite.number], each.elite.number))
        left = [each for each in left if each.elite.number not in room]
    return ordered


def measure_crowding(front: Sequence[MeasuredElite]) -> dict[int, float]:
    """Return by trial how far its neighbours on a front are apart, over all measures.

    The best by a measure has infinite room, and one that equals an older one in all of them has none: of ten that are
    alike, nine are a crowd.
    """
    distinct: list[MeasuredElite] = []
    for one in front:
        if all(one.values != other.values for other in distinct):
            distinct.append(one)
    room = {each.elite.number: -1.0 for each in front} | {each.elite.number: 0.0 for each in distinct}
    for name in sorted({name for each in front for name in each.values}):
        line = sorted(distinct, key=lambda each: (each.values.get(name, -math.inf), each.elite.number))
        values = [each.values.get(name, -math.inf) for each in line]
        span = values[-1] / 2 - values[0] / 2
        for place, each in enumerate(line[:-1]):
            gap = values[place + 1] / 2 - values[max(0, place - 1)] / 2
            room[each.elite.number] += gap / span if 0 < span < math.inf else 0.0
        room[line[-1].elite.number] = math.inf
    return room


@dataclass
class CaseFrontier(MeasuredPopulation):
    """The best of each case: who is best in more cases is a parent more often."""

    most: int
    """Candidates that are kept of a case, if several are equally good; the older ones."""
    cases: dict[str, tuple[float, list[Elite]]] = field(default_factory=dict)
    """By case its best value, and who reached it."""

    def offer(self, elite: Elite, values: Measures) -> None:
        for case, value in values.items():
            best, holders = self.cases.get(case, (-math.inf, []))
            if value > best:
                self.cases[case] = (value, [elite])
            elif value == best and len(holders) < self.most and not _is_held(elite, holders):
                holders.append(elite)

    def draw(self, rng: random.Random, count: int) -> list[Elite]:
        held = self._find_held()
        left = {elite: len(cases) for elite, cases in held.items() if not _is_covered(cases, elite, held)}
        drawn: list[Elite] = []
        while left and len(drawn) < count:
            drawn += rng.choices(list(left), list(left.values()))
            del left[drawn[-1]]
        return drawn

    def _find_held(self) -> dict[Elite, frozenset[str]]:
        """Return the cases of each elite, the oldest first."""
        pairs = ((elite, case) for case, (_, holders) in self.cases.items() for elite in holders)
        held: dict[Elite, set[str]] = {}
        for elite, case in pairs:
            held.setdefault(elite, set()).add(case)
        return {elite: frozenset(held[elite]) for elite in sorted(held, key=lambda each: each.number)}


def _is_held(elite: Elite, holders: Sequence[Elite]) -> bool:
    return any(elite.candidate == holder.candidate for holder in holders)


def _is_covered(cases: frozenset[str], elite: Elite, held: Mapping[Elite, frozenset[str]]) -> bool:
    """Return whether another elite is best in all these cases and in more, or in the same ones and older."""
    return any(
        cases < theirs or (cases == theirs and other.number < elite.number)
        for other, theirs in held.items()
        if other is not elite
    )

"""Line cycling over a run: how many of the lines that trials add are lines that their ancestors had and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evograft.text.escapes import truncate
from evograft_hookspecs import Trial
from evograft_novelty.lineage import find_ancestors
from evograft_novelty.lines import LineCycling, measure_cycling
from evograft_report.figures.trial_cache import size_of
from evograft_report.figures.trial_points import Point

ANCESTORS = 40
"""How many of a trial's nearest ancestors are looked at."""
MOST_MEASURED = 1000
"""Trials that are measured; of a longer run as many, spread evenly."""
MOST_CHARACTERS = 80_000_000
"""Programs' length that is read in all: where programs are long, fewer trials are measured."""
MOST_AT_ONCE = 5_000_000
"""Characters of a program with its ancestors: of long ones, fewer are looked at."""
ROUND = 250
BINS = 40
MOST_LINES = 8


@dataclass(frozen=True)
class CyclingShare:
    """Added lines, and those of them that were old."""

    name: str
    """The operator; empty: all."""
    trials: int = 0
    added: int = 0
    cycled: int = 0

    @property
    def share(self) -> float | None:
        """`None`: nothing was added."""
        return self.cycled / self.added if self.added else None

    def plus(self, found: LineCycling) -> CyclingShare:
        return CyclingShare(self.name, self.trials + 1, self.added + found.added, self.cycled + found.cycled)


@dataclass(frozen=True)
class CyclingBin:
    """A part of the run."""

    first: int
    """Commits before it."""
    last: int
    """Commits up to its end."""
    share: CyclingShare


@dataclass(frozen=True)
class CyclingFigures:
    """Lines that came back in the course of a run."""

    total: CyclingShare
    by_operator: tuple[CyclingShare, ...]
    bins: tuple[CyclingBin, ...]
    lines: tuple[tuple[str, int], ...]
    """Lines that came back most often, and in how many trials."""
    of: int
    """Trials that have parents; `total.trials` of them were measured."""


def measure_returns(points: Sequence[Point], lookup: Callable[[int], Trial]) -> CyclingFigures:
    """Measure trials that have parents.

    Args:
        points: all trials in the order of their commits.
        lookup: finds a trial by number.
    """
    places = [place for place, point in enumerate(points) if point.has_parents]
    total, operators = CyclingShare(""), dict[str, CyclingShare]()
    width = max(1, -(-len(points) // BINS))
    bins: dict[int, CyclingShare] = {}
    lines: Counter[str] = Counter()
    read = 0
    for place in _rounds(spread(places)[:MOST_MEASURED]):
        if read > MOST_CHARACTERS:
            break
        point = points[place]
        found, size = _measure(lookup(point.trial), lookup)
        read += size
        if found is None:
            continue
        total = total.plus(found)
        operators[point.operator] = operators.get(point.operator, CyclingShare(point.operator)).plus(found)
        bins[place // width] = bins.get(place // width, CyclingShare("")).plus(found)
        lines.update(found.lines)
    return CyclingFigures(
        total=total,
        by_operator=tuple(sorted(operators.values(), key=lambda each: (-each.trials, each.name))),
        bins=tuple(CyclingBin(n * width, min(len(points), (n + 1) * width), bins[n]) for n in sorted(bins)),
        lines=tuple((truncate(line, 160), count) for line, count in lines.most_common(MOST_LINES)),
        of=len(places),
    )


def spread(items: Sequence[int]) -> list[int]:
    """Return the items in an order of which every beginning is spread evenly over all of them."""
    bits = max(1, (len(items) - 1).bit_length())
    places = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(1 << bits))
    return [items[place] for place in places if place < len(items)]


def _rounds(places: list[int]) -> Iterator[int]:
    """Yield the indexes in rounds, each in the order of the run.

    Neighbours share ancestors, which are then at hand.
    """
    for first in range(0, len(places), ROUND):
        yield from sorted(places[first : first + ROUND])


def _measure(trial: Trial, lookup: Callable[[int], Trial]) -> tuple[LineCycling | None, int]:
    """Return the line cycling of a trial, and how many characters were read for it.

    The first is `None` if programs are too long.
    """
    assert trial.candidate is not None, "it has parents"
    files, read = {}, size_of(trial)
    for ancestor in find_ancestors(trial, lookup, ANCESTORS):
        read += size_of(ancestor)
        if read > MOST_AT_ONCE:
            break
        if ancestor.candidate is not None:
            files[ancestor.number] = ancestor.candidate.files
    parents = [files[number] for number in trial.candidate.parents if number in files]
    if len(parents) < len(trial.candidate.parents):
        return None, read
    return measure_cycling(trial.candidate.files, parents, files.values()), read

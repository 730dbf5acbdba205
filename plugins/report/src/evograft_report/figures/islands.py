"""Islands over time: best and mean, and how often their parents came from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evograft.text.escapes import sanitize
from evograft_hookspecs import Selection
from evograft_report.figures.trial_points import Point

STEPS = 60
"""Places in the course of a run at which best and mean are given."""
MOST_SHOWN = 12


@dataclass(frozen=True)
class IslandStep:
    """An island at a place in the course of the run."""

    commits: int
    """Trials of the whole run up to here."""
    best: float
    """The best of the island so far."""
    mean: float | None
    """The mean of its valid trials since the last step; `None`: there was none."""


@dataclass(frozen=True)
class IslandFigures:
    """The course of an island."""

    number: int
    name: str
    trials: int
    best: float | None
    best_trial: int | None
    mean: float | None
    """The mean of all its valid trials."""
    visitors: int
    """Its trials with a parent that was made on another island."""
    steps: tuple[IslandStep, ...]


@dataclass(frozen=True)
class Islands:
    """The islands of a run."""

    shown: tuple[IslandFigures, ...]
    """By number; where there are many, those with the most trials."""
    left_out: int
    cells: int
    """Of an archive that are filled, as the newest trial of one saw it; 0: there is no archive."""


class IslandFold:
    """A fold over commits: names, and parents from elsewhere. Seeds belong to no island."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.visitors: Counter[int] = Counter()
        self.cells = 0
        self._of_trial: dict[int, int] = {}

    def add(self, trial: int, selection: Selection | None, parents: Iterable[int]) -> None:
        if selection is None:
            return
        self.cells = selection.cells or self.cells
        self._of_trial[trial] = selection.island
        self.names[selection.island] = selection.island_name
        homes = (self._of_trial.get(parent, selection.island) for parent in parents)
        self.visitors[selection.island] += any(home != selection.island for home in homes)

    def islands(self, points: Sequence[Point]) -> Islands:
        """Return the islands.

        Args:
            points: all trials in the order of their commits.
        """
        sizes = Counter(point.island for point in points if point.island is not None)
        shown = sorted(number for number, _ in sizes.most_common(MOST_SHOWN))
        stride = max(1, -(-len(points) // STEPS))
        trackers = {number: _Tracker() for number in shown}
        for commits, point in enumerate(points, start=1):
            if point.island in trackers:
                trackers[point.island].see(point)
            if commits % stride == 0 or commits == len(points):
                for tracker in trackers.values():
                    tracker.step(commits)
        islands = tuple(self._island(number, sizes[number], trackers[number]) for number in shown)
        return Islands(islands, left_out=len(sizes) - len(shown), cells=self.cells)

    def _island(self, number: int, trials: int, tracker: _Tracker) -> IslandFigures:
        return IslandFigures(
            number=number,
            name=sanitize(self.names[number], 60),
            trials=trials,
            best=tracker.best,
            best_trial=tracker.best_trial,
            mean=tracker.all.value,
            visitors=self.visitors[number],
            steps=tuple(tracker.steps),
        )


@dataclass
class RunningMean:
    """A mean that large scores do not overflow."""

    count: int = 0
    value: float | None = None

    def add(self, number: float) -> None:
        self.count += 1
        before = self.value or 0.0
        self.value = before + (number / self.count - before / self.count)


class _Tracker:
    def __init__(self) -> None:
        self.best: float | None = None
        self.best_trial: int | None = None
        self.all = RunningMean()
        self.steps: list[IslandStep] = []
        self._recent = RunningMean()

    def see(self, point: Point) -> None:
        if point.score is None:
            return
        self.all.add(point.score)
        self._recent.add(point.score)
        if self.best is None or point.score > self.best:
            self.best, self.best_trial = point.score, point.trial

    def step(self, commits: int) -> None:
        if self.best is not None:
            self.steps.append(IslandStep(commits, self.best, self._recent.value))
        self._recent = RunningMean()

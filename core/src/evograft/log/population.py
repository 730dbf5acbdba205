"""What the kernel itself keeps of the trials committed so far: their order, the best, and those read last."""

from __future__ import annotations

from array import array
from copy import copy
from functools import lru_cache

from evograft.log.commit_order import NEVER, CommitPositions
from evograft.log.journal import Journal
from evograft_hookspecs import History, Trial

KEPT = 256
"""Trials that are at hand: the newest, and as many others that were read last."""


class Best:
    """The trial with the highest score; of equals, the one that was seen first."""

    def __init__(self) -> None:
        self.trial: Trial | None = None

    @property
    def score(self) -> float | None:
        return None if self.trial is None else self.trial.score

    def see(self, trial: Trial) -> bool:
        """Return whether the trial is better than all before."""
        better = trial.score is not None and (self.score is None or trial.score > self.score)
        if better:
            self.trial = trial
        return better


class IslandBests:
    """The best score of each island's own trials; seeds are of every island."""

    def __init__(self) -> None:
        self._seeds = Best()
        self._islands: dict[int, Best] = {}

    def see(self, trial: Trial) -> bool:
        """Return whether the trial's island is better with it than before."""
        if trial.selection is None:
            return self._seeds.see(trial)
        best = self._islands.setdefault(trial.selection.island, copy(self._seeds))
        return best.see(trial)


class Population:
    """A fold over commits. All trials but the newest stay in the log, so memory grows by a few bytes a trial."""

    def __init__(self, journal: Journal) -> None:
        self._read = lru_cache(maxsize=KEPT)(journal.trial)
        self._read_kept = journal.kept
        self._newest: dict[int, Trial] = {}
        self.best = Best()
        self.best_at = 0
        """The number of commits when the best was found."""
        self.improved_at = 0
        """The number of commits when an island last became better than it was."""
        self.evaluations = 0
        """How many candidates were evaluated, those before a trial's own included."""
        self._islands = IslandBests()
        self._spent: dict[int, float | None] = {}
        """What trials have cost, without those that were free."""
        self._order = array("I")
        self._positions = CommitPositions()

    @property
    def commits(self) -> int:
        return len(self._order)

    def trial(self, number: int) -> Trial:
        """Return a committed trial, by number. For any thread."""
        return self._newest.get(number) or self._read(number)

    def kept_by(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        """Return what the evaluations of committed trials have kept for those of their candidates' children, each."""
        return tuple(self._read_kept(self.trial(number).evaluation) for number in numbers)

    def commit(self, trial: Trial) -> None:
        self._positions.add(trial.number)
        self._order.append(trial.number)
        self._newest[trial.number] = trial
        self.evaluations += trial.evaluations_before + (trial.candidate is not None and trial.duplicate_of is None)
        if len(self._newest) > KEPT:
            del self._newest[self._order[-1 - KEPT]]
        if self.best.see(trial):
            self.best_at = self.commits
        if self._islands.see(trial):
            self.improved_at = self.commits

    def charge(self, number: int, dollars: float | None) -> None:
        """Note what a committed trial has cost; `None`: a price is unknown."""
        if dollars != 0.0:
            self._spent[number] = dollars

    def spent(self, number: int) -> float | None:
        """Return what a committed trial has cost. For any thread."""
        return self._spent.get(number, 0.0)

    def has(self, number: int) -> bool:
        """Return whether a trial is committed."""
        return self.position(number) != NEVER

    def position(self, number: int) -> int:
        """Return how many trials were committed before this one."""
        return self._positions.of(number)

    def history(self, view: int) -> History:
        """Return the trials of the first `view` commits, for hooks on any thread."""
        return _View(self, view)

    def committed(self, first: int, last: int) -> tuple[int, ...]:
        """Return the numbers of the trials at these positions."""
        return tuple(self._order[first:last])


class _View:
    def __init__(self, population: Population, view: int) -> None:
        self._population = population
        self._view = view

    def trial(self, number: int) -> Trial:
        self._require(number)
        return self._population.trial(number)

    def spent(self, number: int) -> float | None:
        self._require(number)
        return self._population.spent(number)

    def _require(self, number: int) -> None:
        if self._population.position(number) >= self._view:
            raise KeyError(number)

    def latest(self, count: int) -> tuple[Trial, ...]:
        numbers = self._population.committed(max(0, self._view - count), self._view)
        return tuple(map(self._population.trial, numbers))

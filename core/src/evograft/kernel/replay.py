"""The replay of a log: a resumed run walks through it by the very steps that wrote it, commit by commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evograft.kernel.budget import BudgetTracker
from evograft.kernel.event_bus import EventBus
from evograft.log.journal import Journal
from evograft.log.records import BillableCall, Finished
from evograft_hookspecs import Problem


class Replay:
    """The log of a run as it was when the session began. Nobody else knows what is a repetition and what is new."""

    def __init__(self, journal: Journal, bus: EventBus, budget: BudgetTracker) -> None:
        self._records = journal.records()
        self._bus = bus
        self._budget = budget
        self._finished = journal.finished_trials()
        self.last_trial = max(self._finished, default=-1)
        """The highest number of a trial in the log; -1: there is none."""
        self.is_over = False

    @property
    def trials(self) -> int:
        """How many trials are in the log."""
        return len(self._finished)

    def has_trial(self, number: int) -> bool:
        """Return whether the result of a trial is in the log."""
        return number in self._finished

    def find_problem(self) -> Problem | None:
        """Return the problem as it was analyzed when the run began; `None`: the log does not hold it.

        If it does, what follows is a repetition.
        """
        for record in self._records:
            if isinstance(record, BillableCall):
                self._budget.add_call(record)
            elif isinstance(record, Problem):
                self._bus.replayed = True
                return record
        return None

    @contextmanager
    def walk(self) -> Iterator[Iterator[Finished]]:
        """Give the finished trials of the log to a block in which all that happens is a repetition."""
        self._bus.replayed = True
        yield self._walk()
        self._bus.replayed = False
        self.is_over = True

    def _walk(self) -> Iterator[Finished]:
        for record in self._records:
            if isinstance(record, BillableCall):
                self._budget.add_call(record)
            elif isinstance(record, Finished):
                self._budget.add_earlier_time(record.elapsed)
                yield record

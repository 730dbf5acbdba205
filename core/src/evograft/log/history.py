"""The history of a run: what its log adds up to. Status, report, exporters and lessons are views of this one fold.

Trials count in the order of their commits, whatever the order in which they finished. Candidates stay in the log: in
memory are the best one, and those that finished before their turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

from evograft.config.generations import Generations
from evograft.config.pipeline import Pipeline
from evograft.log.attribution import is_for_candidate
from evograft.log.commit_order import CommitOrder
from evograft.log.first_lines import find_last_stop
from evograft.log.journal import Journal
from evograft.log.population import Best
from evograft.log.records import BillableCall, FinalEvaluation, Finished, Header, Record
from evograft.log.spending import LoggedCall, RunSpending, Spending
from evograft_hookspecs import Control, Problem, Trial


@dataclass(frozen=True)
class Commit:
    """A trial, and its part in the history."""

    finished: Finished
    position: int
    """How many trials were committed before."""
    generation: int
    """0: a seed."""
    is_best: bool
    """Whether it scored higher than all before."""
    calls: tuple[LoggedCall, ...]
    """The calls that were made for it, in order."""

    @property
    def trial(self) -> Trial:
        return self.finished.trial

    @property
    def for_candidate(self) -> tuple[LoggedCall, ...]:
        """Return the calls that were made for its candidate, by the operator or by a tool on its behalf."""
        return tuple(each for each in self.calls if is_for_candidate(each.call))

    @property
    def dollars(self) -> float | None:
        """Return what the candidate and its evaluation have cost; `None`: a price is unknown."""
        paid = self._spent_on_candidate.known_dollars
        return None if paid is None else paid + self.finished.cost

    @property
    def tokens(self) -> int:
        """Return the tokens of prompts and answers for its candidate."""
        return self._spent_on_candidate.tokens

    @property
    def _spent_on_candidate(self) -> Spending:
        return Spending.of(each.call for each in self.for_candidate)


@dataclass(frozen=True)
class LoggedRecord:
    """A record, and its part in the history."""

    place: int
    """Of its row in the log."""
    record: Record
    commits: tuple[Commit, ...]
    """The trials that are committed with it."""


class RunHistory:
    """Follows the log of a run, which may be live: each look reads what is new.

    Args:
        journal: the log.
        settings: the newest ones of the run, for the order of commits, the size of generations and the budget.
    """

    def __init__(self, journal: Journal, settings: Pipeline) -> None:
        self.settings = settings
        self.header: Header | None = None
        self.problem: Problem | None = None
        """`None`: it was not analyzed yet."""
        self.trials = 0
        """Trials that are finished, whether they are committed or wait for an earlier one."""
        self.controls: list[Control] = []
        """Instructions, stops and changed settings, in the order in which they happened."""
        self.final_evaluation: FinalEvaluation | None = None
        """The newest one."""
        self.elapsed = 0.0
        """Wall seconds that the run had worked, over all its sessions, when its newest trial was finished."""
        self.at: float | None = None
        """Unix time of the newest trial."""
        self.spending = RunSpending()
        self._journal = journal
        self._last_place = -1
        self._last_trial = -1
        self._best = Best()
        self._order = self._new_order()

    @classmethod
    def follow(cls, journal: Journal, settings: Pipeline) -> RunHistory:
        """Return the history of a run up to now; `read_on` follows it further."""
        history = cls(journal, settings)
        for _ in history.read_on():
            pass
        return history

    def read_on(self) -> Iterator[Commit]:
        """Read what is new in the log, and yield each trial when it is committed, with the history as it is then."""
        for record in self._read():
            if isinstance(record, Finished):
                yield from map(self._commit, self._order.add(record))

    def read_records(self) -> Iterator[LoggedRecord]:
        """Read what is new in the log, and yield each record when it, and what it commits, are in the history."""
        for record in self._read():
            due = self._order.add(record) if isinstance(record, Finished) else ()
            yield LoggedRecord(self._last_place, record, tuple(map(self._commit, due)))

    def close(self) -> Iterator[Commit]:
        """Commit the trials that wait for an earlier one, by number: for readers who do not follow the run further."""
        for finished in self._order.rest():
            yield self._commit(finished)

    def waiting(self) -> Iterator[Commit]:
        """Yield the trials that wait for an earlier one, by number, as if they were committed now."""
        best = copy(self._best)
        for position, finished in enumerate(self._order.waiting(), self.commits):
            calls = self.spending.calls_of(finished.trial.number)
            yield Commit(finished, position, self.generations.of(position), best.see(finished.trial), calls)

    def in_commit_order(self) -> Iterator[Finished]:
        """Read all trials of the log once more, in the order of their commits; those that wait come last."""
        order = self._new_order()
        for record in self._journal.records():
            if isinstance(record, Finished):
                yield from order.add(record)
        yield from order.rest()

    @property
    def commits(self) -> int:
        """Return how many trials are committed: finished, and all that come before them as well."""
        return self._order.commits

    @property
    def best(self) -> Trial | None:
        """Return the trial with the highest score, of equals the one committed first; waiting ones count as well."""
        best = copy(self._best)
        for finished in self._order.waiting():
            best.see(finished.trial)
        return best.trial

    @property
    def is_best_evaluated(self) -> bool:
        """Return whether the best candidate was evaluated once more after the search."""
        best, final = self.best, self.final_evaluation
        return best is not None and final is not None and final.trial == best.number

    @property
    def generations(self) -> Generations:
        """Return how trials are counted in generations."""
        return Generations(len(self.problem.seeds) if self.problem else 0, self.settings.generation_size)

    @property
    def generation(self) -> int:
        """Return how many generations are complete; the seeds are none."""
        return self.generations.complete(self.trials)

    def generation_of(self, trial: int) -> int:
        """Return the generation of a committed trial; the seeds are generation 0.

        Raises:
            KeyError: it is not committed.
        """
        return self.generations.of(self._order.position_of(trial))

    @property
    def limit(self) -> int | None:
        """Return how many trials the run may have, by its budget or by the run that it repeats; `None`: any number."""
        follows = self.header.follows if self.header else None
        return trial_limit(self.settings, self.generations.seeds, follows=None if follows is None else len(follows))

    @property
    def stop(self) -> Control | None:
        """Return what stopped the run; `None` if nothing did, or if it was resumed since."""
        newest = find_last_stop(self.controls)
        # With trials that were not started then, it was resumed.
        return newest if newest is not None and self._last_trial < newest.first_trial else None

    @property
    def is_complete(self) -> bool:
        """Return whether the run has all its trials, and nobody stopped it before its end."""
        return is_complete(self.trials, limit=self.limit, stop=self.stop)

    def _read(self) -> Iterator[Record]:
        """Yield each new record when it is in the history, but for what it commits."""
        for place, record in self._journal.placed_records(after=self._last_place):
            self._last_place = place
            self._add(place, record)
            yield record

    def _add(self, place: int, record: Record) -> None:
        if isinstance(record, Finished):
            self.trials += 1
            self.spending.total_evaluations += record.cost
            self.elapsed = max(self.elapsed, record.elapsed)
            self.at = max(self.at or 0.0, record.at)
            self._last_trial = max(self._last_trial, record.trial.number)
        elif isinstance(record, BillableCall):
            self.spending.add(place, record)
        elif isinstance(record, Control):
            self.controls.append(record)
        elif isinstance(record, FinalEvaluation):
            self.final_evaluation = record
        elif isinstance(record, Problem):
            self.problem = record
        elif isinstance(record, Header):
            self.header = record
            self._order = self._new_order()

    def _commit(self, finished: Finished) -> Commit:
        trial, position = finished.trial, self.commits - 1
        calls = self.spending.commit(trial.number, operator_of(trial), evaluation=finished.cost)
        return Commit(finished, position, self.generations.of(position), self._best.see(trial), calls)

    def _new_order(self) -> CommitOrder:
        if self.header is None or self.header.follows is None:
            return CommitOrder(self.settings.commit_order)
        return CommitOrder([each.number for each in self.header.follows])


def trial_limit(settings: Pipeline, seeds: int, *, follows: int | None) -> int | None:
    """Return how many trials a run may have; `None`: any number.

    Args:
        settings: the newest ones of the run.
        seeds: how many seed programs the problem has.
        follows: how many trials the run has that this one repeats; `None`: it repeats none.
    """
    if follows is not None:
        return follows
    return settings.budget.trial_limit(seeds, generation_size=settings.generation_size)


def is_complete(trials: int, *, limit: int | None, stop: Control | None) -> bool:
    """Return whether a run has all its trials, and nobody stopped it before its end.

    Args:
        trials: that are finished.
        limit: of its trials; `None`: any number, so that something else ends it.
        stop: what stopped it, unless it was resumed since.
    """
    return limit is not None and trials >= limit and (stop is None or stop.stop != "user")


def operator_of(trial: Trial) -> str:
    """Return who made a trial's candidate, or was to make it."""
    if trial.proposal is not None:
        return trial.proposal.operator
    return trial.candidate.operator if trial.candidate else "kernel.seed"

"""What the log of a session adds up to, in the contest's words: a view of the history of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

from evograft.api import (
    Best,
    BillableCall,
    Commit,
    CompletedCall,
    Finished,
    Header,
    Journal,
    LoggedRecord,
    Pipeline,
    Record,
    RunHistory,
    Spending,
    operator_of,
)
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.records.candidate import compute_average_score
from evograft_ahc.records.ids import CandidateNaming
from evograft_hookspecs import Problem, Trial, Value


class BestScore(Value):
    """A candidate that was the best when it was committed."""

    generation: int
    score: float
    """The average over its cases, in the contest's own units."""
    individual_id: str


@dataclass
class AttemptCounts:
    """Candidates that have something in common, such as a strategy or an operator."""

    title: str
    trials: int = 0
    succeeded: int = 0
    pruned: int = 0
    """Given up when they were seen to be worse than what they came from."""
    best: Best = field(default_factory=Best)

    @property
    def failed(self) -> int:
        return self.trials - self.succeeded - self.pruned

    @property
    def best_score(self) -> float | None:
        """The average of the best one over its cases, in the contest's own units."""
        return None if self.best.trial is None else _told(self.best.trial)

    def add(self, trial: Trial) -> None:
        self.trials += 1
        self.succeeded += trial.evaluation.status == "ok"
        self.pruned += trial.evaluation.status == "pruned"
        self.best.see(trial)

    def __copy__(self) -> AttemptCounts:
        return replace(self, best=copy(self.best))


@dataclass
class SessionResults:
    """What became of a session's candidates."""

    strategies: dict[str, AttemptCounts] = field(default_factory=dict)
    """By what stands at the end of the ids of their proposals."""
    operators: dict[str, AttemptCounts] = field(default_factory=dict)
    all: AttemptCounts = field(default_factory=lambda: AttemptCounts(""))
    history: list[BestScore] = field(default_factory=list)
    """The candidates that were the best when they were committed, in that order."""

    def add(self, commit: Commit, naming: CandidateNaming) -> None:
        """Add the next candidate."""
        trial = commit.trial
        for attempts in self._attempts_of(trial):
            attempts.add(trial)
        if commit.is_best:
            place = naming.place(trial.number)
            best = BestScore(generation=place.generation, score=_told(trial), individual_id=place.individual)
            self.history.append(best)

    def __copy__(self) -> SessionResults:
        return SessionResults(_copies(self.strategies), _copies(self.operators), copy(self.all), [*self.history])

    def _attempts_of(self, trial: Trial) -> Iterator[AttemptCounts]:
        """Yield all that a trial counts for."""
        operator = operator_of(trial)
        yield self.all
        yield self.operators.setdefault(operator, AttemptCounts(operator))
        # In logs of earlier versions the temperature follows an @.
        name = trial.proposal.id.partition("@")[0] if trial.proposal else ""
        yield from (attempts for key, attempts in self.strategies.items() if name.endswith(f"_{key}"))


class SessionHistory:
    """Follows the log of one session, which may be live: each look reads what is new.

    Args:
        journal: the log.
        settings: the newest ones of its run.
    """

    def __init__(self, journal: Journal, settings: Pipeline) -> None:
        self.started: float | None = None
        """Unix time: of the run's beginning; in logs that do not tell, of the first row that has one."""
        self.last: float | None = None
        """Unix time of the newest row that has one."""
        self._run = RunHistory(journal, settings)
        self._committed = SessionResults()

    @classmethod
    def follow(cls, journal: Journal, settings: Pipeline) -> SessionHistory:
        """Return the history of a session up to now; `read_on` follows it further."""
        session_history = cls(journal, settings)
        for _ in session_history.read_on():
            pass
        return session_history

    def read_on(self) -> Iterator[LoggedRecord]:
        """Read what is new in the log, and yield each record when it, and what it commits, are in the history."""
        for logged in self._run.read_records():
            self._note_time(logged.record)
            if isinstance(logged.record, Problem):
                self._committed.strategies = {
                    each.key: AttemptCounts(each.title) for each in _strategies_in(logged.record)
                }
            for commit in logged.commits:
                self._committed.add(commit, self.naming)
            yield logged

    def waiting(self) -> Iterator[Commit]:
        """Yield the candidates that wait for an earlier one, as if they were committed now."""
        return self._run.waiting()

    @property
    def naming(self) -> CandidateNaming:
        return CandidateNaming(self._run.generations)

    @property
    def results(self) -> SessionResults:
        """Return what became of all candidates so far; those that wait count as if they were committed now."""
        waiting = tuple(self.waiting())
        if not waiting:
            return self._committed
        results = copy(self._committed)
        for commit in waiting:
            results.add(commit, self.naming)
        return results

    @property
    def best(self) -> Trial | None:
        return self._run.best

    @property
    def generation(self) -> int:
        """Return the generation of the newest candidate."""
        return self._run.generations.of(self._run.trials - 1) if self._run.trials else 0

    @property
    def is_analysed(self) -> bool:
        """Return whether the problem was thought over, so that trials may follow."""
        return self._run.problem is not None

    @property
    def spent(self) -> Spending:
        """Return the sum of all calls."""
        return self._run.spending.total

    @property
    def by_model(self) -> Mapping[str, Spending]:
        """Return all calls by model, in the order in which each was first asked."""
        return self._run.spending.by_model

    @property
    def models(self) -> tuple[str, ...]:
        """Return the models that answered, in the order in which they were first asked."""
        return tuple(name for name, spent in self.by_model.items() if spent.answered)

    @property
    def dollars(self) -> float | None:
        """Return what calls and evaluations have cost; `None`: the price of a model is unknown."""
        return self._run.spending.dollars

    def _note_time(self, record: Record) -> None:
        if isinstance(record, Header):
            self.started = record.at
        elif isinstance(record, (BillableCall, Finished)):
            self.last = record.at if self.last is None else max(self.last, record.at)
            if self.started is None:
                self.started = record.at - _seconds_until(record)


def _seconds_until(record: BillableCall | Finished) -> float:
    """Return how long the session had worked by then, as far as its first row with a time says."""
    if isinstance(record, Finished):
        return record.elapsed
    return record.seconds if isinstance(record, CompletedCall) else 0.0


def _copies(counts: Mapping[str, AttemptCounts]) -> dict[str, AttemptCounts]:
    return {name: copy(each) for name, each in counts.items()}


def _strategies_in(problem: Problem) -> tuple[ContestStrategy, ...]:
    """Return the strategies of a contest; a log that other plugins have written has none."""
    return tuple(map(ContestStrategy.model_validate, problem.analysis.get("strategies", ())))


def _told(trial: Trial) -> float:
    average = compute_average_score(trial.evaluation)
    return (trial.evaluation.score or 0.0) if average is None else average

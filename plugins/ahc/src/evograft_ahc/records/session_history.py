"""What the log of a session adds up to: a fold over its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from evograft.api import Best, CompletedCall, FailedCharge, Finished, Header, Record, Spending, operator_of
from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_ahc.records.candidate import compute_average_score
from evograft_ahc.records.ids import CandidateNaming
from evograft_hookspecs import Problem, Trial, Value


class BestScore(Value):
    """A candidate that was the best when it came."""

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


class SessionHistory:
    """Of one session.

    Args:
        generation_size: candidates of a generation.
    """

    def __init__(self, generation_size: int) -> None:
        self.naming = CandidateNaming(0, generation_size)
        self.started: float | None = None
        """Unix time: of the run's beginning; in logs that do not tell, of the first row that has one."""
        self.last: float | None = None
        """Unix time of the newest row that has one."""
        self.generation = 0
        """Of the newest candidate."""
        self.history: list[BestScore] = []
        self.spent = Spending()
        self.by_model: defaultdict[str, Spending] = defaultdict(Spending)
        self.is_analysed = False
        """Whether the problem was thought over, so that trials may follow."""
        self.all = AttemptCounts("")
        self.operators: dict[str, AttemptCounts] = {}
        self.strategies: dict[str, AttemptCounts] = {}
        """By what stands at the end of the ids of their proposals."""
        self._best = Best()
        self._evaluations = 0.0

    @property
    def best(self) -> Trial | None:
        return self._best.trial

    @property
    def models(self) -> tuple[str, ...]:
        """Those that answered, in the order in which they were first asked."""
        return tuple(name for name, spent in self.by_model.items() if spent.answered)

    @property
    def dollars(self) -> float | None:
        """`None`: the price of a model is unknown."""
        known = self.spent.known_dollars
        return None if known is None else known + self._evaluations

    def add(self, record: Record) -> bool:
        """Add the next row; return whether it is a candidate that is better than all before."""
        if isinstance(record, Problem):
            self.is_analysed = True
            self.naming = CandidateNaming(len(record.seeds), self.naming.generation_size)
            self.strategies = {each.key: AttemptCounts(each.title) for each in _strategies_in(record)}
        elif isinstance(record, Header):
            self.started = record.at
        elif isinstance(record, (CompletedCall, FailedCharge)):
            self._note(record.at, elapsed=record.seconds if isinstance(record, CompletedCall) else 0.0)
            self.spent.add(record)
            self.by_model[record.model].add(record)
        elif isinstance(record, Finished):
            return self._add_trial(record)
        return False

    def _add_trial(self, finished: Finished) -> bool:
        self._note(finished.at, elapsed=finished.elapsed)
        self._evaluations += finished.cost
        place = self.naming.place(finished.trial.number)
        self.generation = max(self.generation, place.generation)
        for attempts in self._attempts_of(finished.trial):
            attempts.add(finished.trial)
        is_best = self._best.see(finished.trial)
        if is_best:
            told = _told(finished.trial)
            self.history.append(BestScore(generation=place.generation, score=told, individual_id=place.individual))
        return is_best

    def _attempts_of(self, trial: Trial) -> Iterator[AttemptCounts]:
        """Yield all that a trial counts for."""
        operator = operator_of(trial)
        yield self.all
        yield self.operators.setdefault(operator, AttemptCounts(operator))
        # In logs of earlier versions the temperature follows an @.
        name = trial.proposal.id.partition("@")[0] if trial.proposal else ""
        yield from (attempts for key, attempts in self.strategies.items() if name.endswith(f"_{key}"))

    def _note(self, at: float, *, elapsed: float = 0.0) -> None:
        if self.started is None:
            self.started = at - elapsed
        self.last = at if self.last is None else max(self.last, at)


def _strategies_in(problem: Problem) -> tuple[ContestStrategy, ...]:
    """Return the strategies of a contest; a log that other plugins have written has none."""
    return tuple(map(ContestStrategy.model_validate, problem.analysis.get("strategies", ())))


def _told(trial: Trial) -> float:
    average = compute_average_score(trial.evaluation)
    return (trial.evaluation.score or 0.0) if average is None else average

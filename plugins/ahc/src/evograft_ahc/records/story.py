"""What the log of a session adds up to: a fold over its rows."""

from __future__ import annotations

from collections import defaultdict

from evograft.journal import Answered, Charged, Finished, Header, Record
from evograft.llm.spending import Spending
from evograft.population import Best
from evograft.standing import operator_of
from evograft_ahc.records.candidate import average_score
from evograft_ahc.records.naming import Naming
from evograft_hookspecs import Problem, Trial, Value


class BestScore(Value):
    """A candidate that was the best when it came."""

    generation: int
    score: float
    """The average over its cases, in the contest's own units."""
    individual_id: str


class Story:
    """Of one session.

    Args:
        generation_size: candidates of a generation.
    """

    def __init__(self, generation_size: int) -> None:
        self.naming = Naming(0, generation_size)
        self.started: float | None = None
        """Unix time: of the run's beginning; in logs that do not tell, of the first row that has one."""
        self.last: float | None = None
        """Unix time of the newest row that has one."""
        self.generation = 0
        """Of the newest candidate."""
        self.history: list[BestScore] = []
        self.spent = Spending()
        self.by_model: defaultdict[str, Spending] = defaultdict(Spending)
        self._best = Best()
        self._best_of: defaultdict[str, Best] = defaultdict(Best)
        self._evaluations = 0.0

    @property
    def best(self) -> Trial | None:
        return self._best.trial

    @property
    def approaches(self) -> dict[str, float]:
        """The average of each operator's best candidate over its cases, in the contest's own units."""
        bests = ((operator, best.trial) for operator, best in self._best_of.items())
        return {operator: _told(trial) for operator, trial in bests if trial is not None}

    @property
    def dollars(self) -> float | None:
        """`None`: the price of a model is unknown."""
        known = self.spent.known_dollars
        return None if known is None else known + self._evaluations

    def add(self, record: Record) -> bool:
        """The next row; returns whether it is a candidate that is better than all before."""
        if isinstance(record, Problem):
            self.naming = Naming(len(record.seeds), self.naming.generation_size)
        elif isinstance(record, Header):
            self.started = record.at
        elif isinstance(record, (Answered, Charged)):
            self._note(record.at, elapsed=record.seconds if isinstance(record, Answered) else 0.0)
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
        self._best_of[operator_of(finished.trial)].see(finished.trial)
        is_best = self._best.see(finished.trial)
        if is_best:
            told = _told(finished.trial)
            self.history.append(BestScore(generation=place.generation, score=told, individual_id=place.individual))
        return is_best

    def _note(self, at: float, *, elapsed: float = 0.0) -> None:
        if self.started is None:
            self.started = at - elapsed
        self.last = at if self.last is None else max(self.last, at)


def _told(trial: Trial) -> float:
    average = average_score(trial.evaluation)
    return (trial.evaluation.score or 0.0) if average is None else average

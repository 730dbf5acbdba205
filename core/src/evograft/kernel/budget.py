"""The budget of a run: a fold over commits that is asked after each of them, and never asked by a trial."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Self

from evograft.config.pipeline import Budget, Pipeline
from evograft.errors import BudgetSpent
from evograft.llm.ledger import SpendingLedger
from evograft.log.population import Population
from evograft.log.records import BillableCall, Finished
from evograft_hookspecs import FrozenDict, StopCause


class Stop(NamedTuple):
    """The stop of a run: a cause for programs, a reason for people."""

    cause: StopCause
    reason: str
    facts: FrozenDict[str, str | float] = FrozenDict()
    """What the reason says, as `Control.facts`."""


class BudgetTracker:
    """Spending and progress of a run so far, over all its sessions.

    Args:
        ledger: the cost of calls of models.
    """

    def __init__(self, budget: Budget, ledger: SpendingLedger, *, generation_size: int) -> None:
        self._budget = budget
        self._ledger = ledger
        self._generation_size = generation_size
        self._started = time.monotonic()
        self._before = 0.0

    @classmethod
    def for_run(cls, pipeline: Pipeline, ledger: SpendingLedger) -> Self:
        """Track the budget that the settings of a run give."""
        return cls(pipeline.budget, ledger, generation_size=pipeline.generation_size)

    @property
    def elapsed(self) -> float:
        """Wall seconds of this session and of the earlier ones."""
        return self._before + time.monotonic() - self._started

    def add(self, finished: Finished) -> None:
        """Count what the evaluation of a trial has cost."""
        self._ledger.evaluations += finished.cost

    def add_call(self, call: BillableCall) -> None:
        """Count a call of a model that is in the log."""
        self._ledger.add(call)

    def add_earlier_time(self, elapsed: float) -> None:
        """Count the wall seconds of earlier sessions, as a trial in the log notes them."""
        self._before = max(self._before, elapsed)

    def trial_limit(self, seeds: int) -> int | None:
        """Return the number from which on trials are never opened; `None`: no limit."""
        return self._budget.trial_limit(seeds, generation_size=self._generation_size)

    @contextmanager
    def alarm(self, ring: Callable[[BudgetSpent], None]) -> Iterator[None]:
        """Call `ring` on another thread when the seconds of the budget are over, whatever the block waits for."""
        seconds = self._budget.seconds
        if seconds is None:
            yield
            return
        # The time of earlier sessions is known once the log was walked through.
        # Until then it rings too late, never too early.
        reason = BudgetSpent(_seconds_over(seconds), {"limit": "seconds", "value": seconds})
        timer = threading.Timer(seconds - self.elapsed, ring, [reason])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def find_stop(self, population: Population) -> Stop | None:
        """Return why no further trial should open; `None`: the run continues."""
        return self._progress_stop(population) or self._spending_stop()

    def _progress_stop(self, population: Population) -> Stop | None:
        budget, score = self._budget, population.best.score
        target, plateau, island_plateau = budget.target_score, budget.plateau, budget.island_plateau
        evaluations = budget.evaluations
        if evaluations is not None and population.evaluations >= evaluations:
            return _reached("budget", "evaluations", evaluations, f"{evaluations} evaluations made")
        if target is not None and score is not None and score >= target:
            return _reached("target", "target_score", target, f"target score {target:g} reached")
        if plateau is not None and population.commits - population.best_at >= plateau:
            return _reached("plateau", "plateau", plateau, f"no better score in {plateau} trials")
        if island_plateau is not None and population.commits - population.improved_at >= island_plateau:
            reason = f"no island improved in {island_plateau} trials"
            return _reached("plateau", "island_plateau", island_plateau, reason)
        return None

    def _spending_stop(self) -> Stop | None:
        budget, total = self._budget, self._ledger.total
        if budget.dollars is not None and self._ledger.dollars >= budget.dollars:
            return _reached("budget", "dollars", budget.dollars, f"{budget.dollars:g} dollars spent")
        if budget.tokens is not None and total.tokens >= budget.tokens:
            return _reached("budget", "tokens", budget.tokens, f"{budget.tokens} tokens used")
        if budget.calls is not None and total.answered >= budget.calls:
            return _reached("budget", "calls", budget.calls, f"{budget.calls} calls of models made")
        if budget.seconds is not None and self.elapsed >= budget.seconds:
            return _reached("budget", "seconds", budget.seconds, _seconds_over(budget.seconds))
        return None


def _reached(cause: StopCause, limit: str, value: float, reason: str) -> Stop:
    facts: dict[str, str | float] = {"limit": limit, "value": float(value)}
    return Stop(cause, reason, FrozenDict(facts))


def _seconds_over(seconds: float) -> str:
    return f"{seconds:g} seconds passed"

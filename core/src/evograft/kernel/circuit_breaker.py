"""The circuit breaker: a run whose model gives no program is stopped, and costs no more."""

from __future__ import annotations

from evograft.errors import ServiceError
from evograft.log.spending import Spending
from evograft_hookspecs import Trial


class CircuitBreaker:
    """A count of the trials in a row in which a model was asked and gave no program.

    It is a fold over commits and logged stops.

    Args:
        limit: the number of such trials that ends the run; `None`: it never ends for that.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._failures = 0
        self._reason = ""

    def commit(self, trial: Trial, spent: Spending) -> None:
        """Count a trial; one that asked no model says nothing about models."""
        if not spent.calls:
            return
        if trial.candidate is not None or any(attempt.candidate for attempt in trial.attempts):
            self._failures = 0
            return
        self._failures += 1
        self._reason = trial.evaluation.reason

    def reset(self) -> None:
        """Start counting again: the run stopped, and whoever resumes it has seen why."""
        self._failures = 0

    def require_closed(self) -> None:
        """Raise ServiceError once the models have failed too often in a row."""
        if self._limit is not None and self._failures >= self._limit:
            raise ServiceError(
                f"no model gave a program in {self._failures} trials in a row (llm.give_up_after), "
                f"the last: {self._reason}"
            )

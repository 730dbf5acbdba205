"""What the trials in flight are doing, for people."""

from __future__ import annotations

from evograft.kernel.trial_runner import RunningTrial, TrialRunner
from evograft.llm.service import ModelService
from evograft.runs.mailbox import Activity, InFlightTrial
from evograft_hookspecs.ports import Executor


class Activities:
    """Describes trials in flight.

    Args:
        in_threads: whether evaluations run on threads of this process, whose hooks know which of them began.
    """

    def __init__(self, flights: TrialRunner, models: ModelService, executor: Executor, *, in_threads: bool) -> None:
        self._flights = flights
        self._models = models
        self._executor = executor
        self._in_threads = in_threads

    def list(self) -> tuple[InFlightTrial, ...]:
        """Describe every trial that is being worked on."""
        return tuple(self._describe(flight) for flight in self._flights.under_way)

    def _describe(self, flight: RunningTrial) -> InFlightTrial:
        pause = self._models.pause_of(flight.number)
        parent = flight.parents[0] if flight.parents else None
        return InFlightTrial(
            trial=flight.number,
            operator=_operator_of(flight),
            model=self._models.called_by(flight.number),
            repairs=len(flight.attempts),
            since=round(flight.since, 1),
            waits_until=round(pause.until, 1) if pause else None,
            waits_after=pause.reason if pause else "",
            activity=self._activity_of(flight),
            parent=parent.number if parent else None,
            parent_score=parent.score if parent else None,
            final=flight.final,
        )

    def _activity_of(self, flight: RunningTrial) -> Activity:
        if self._models.is_queued(flight.number):
            return "awaiting-model"
        if self._models.is_asked(flight.number):
            return "asking"
        if flight.candidate is None:
            return "mutating"
        return "evaluating" if self._is_evaluating(flight) else "awaiting-evaluator"

    def _is_evaluating(self, flight: RunningTrial) -> bool:
        if self._in_threads:
            return flight.hooks.is_evaluating(flight.number)
        # Other executors work elsewhere, on what came to them first.
        under_way = self._flights.under_way
        earlier = sum(1 for each in under_way if each.candidate and each.queued_at < flight.queued_at)
        return earlier < self._executor.workers


def _operator_of(flight: RunningTrial) -> str:
    if flight.proposal is not None:
        return flight.proposal.operator
    return flight.candidate.operator if flight.candidate else "kernel.seed"

"""What the trials in flight are doing, for people."""

from __future__ import annotations

from evograft.kernel.trial_runner import RunningTrial, TrialRunner
from evograft.llm.service import ModelService
from evograft.runs.mailbox import Activity, InFlightTrial
from evograft_hookspecs.drivers.executor import Executor


class Activities:
    """Describes trials in flight.

    Args:
        in_threads: whether evaluations run on threads of this process, whose hooks know which of them began.
    """

    def __init__(self, runner: TrialRunner, models: ModelService, executor: Executor, *, in_threads: bool) -> None:
        self._runner = runner
        self._models = models
        self._executor = executor
        self._in_threads = in_threads

    def list(self) -> tuple[InFlightTrial, ...]:
        """Describe every trial that is being worked on."""
        return tuple(self._describe(running) for running in self._runner.under_way)

    def _describe(self, running: RunningTrial) -> InFlightTrial:
        pause = self._models.pause_of(running.number)
        parent = running.parents[0] if running.parents else None
        return InFlightTrial(
            trial=running.number,
            operator=_operator_of(running),
            model=self._models.called_by(running.number),
            repairs=len(running.attempts),
            since=round(running.since, 1),
            waits_until=round(pause.until, 1) if pause else None,
            waits_after=pause.reason if pause else "",
            activity=self._activity_of(running),
            parent=parent.number if parent else None,
            parent_score=parent.score if parent else None,
            final=running.final,
        )

    def _activity_of(self, running: RunningTrial) -> Activity:
        if self._models.is_queued(running.number):
            return "awaiting-model"
        if self._models.is_asked(running.number):
            return "asking"
        if running.candidate is None:
            return "mutating"
        return "evaluating" if self._is_evaluating(running) else "awaiting-evaluator"

    def _is_evaluating(self, running: RunningTrial) -> bool:
        if self._in_threads:
            return running.hooks.is_evaluating(running.number)
        # Other executors work elsewhere, on what came to them first.
        under_way = self._runner.under_way
        earlier = sum(1 for each in under_way if each.candidate and each.queued_at < running.queued_at)
        return earlier < self._executor.workers


def _operator_of(running: RunningTrial) -> str:
    if running.proposal is not None:
        return running.proposal.operator
    return running.candidate.operator if running.candidate else "kernel.seed"

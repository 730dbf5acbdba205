"""Requests to a running kernel, from people and from other processes, and what it shows them in return."""

from __future__ import annotations

import heapq
import time
import uuid
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial

from evograft.kernel.budget import Stop
from evograft.kernel.controls import Controls
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.running_trial import RunningTrial
from evograft.kernel.trial_runner import TrialRunner
from evograft.plugin.context import CallSite
from evograft.runs.mailbox import MOST_DESCRIBED, Activity, InFlightTrial, RunMessage, Snapshot
from evograft_hookspecs import FrozenDict, LlmRequest, WorkersChanged
from evograft_hookspecs.drivers.executor import RemoteExecutor

GRACE = 10.0
"""Seconds that trials in flight have to finish after an interruption or a failure."""


class Requests:
    """The requests that a running kernel carries out. All but `apply` and `exchange` are callable from any thread."""

    def __init__(self, plan: RunPlan, parts: RunParts, controls: Controls, trials: TrialRunner) -> None:
        self._inbox = parts.inbox
        self._models = parts.models
        self._mailbox = parts.mailbox
        self._controls = controls
        self._activities = Activities(trials, plan, parts)
        self._executor = parts.executor
        self._workers = ""
        """What was said of them last."""
        self._give_up_at = float("inf")

    @property
    def grace_is_over(self) -> bool:
        """Whether the trials in flight have had their time since the run was stopped."""
        return time.monotonic() >= self._give_up_at

    def end_of_grace(self) -> float:
        """Return the monotonic time until which trials in flight may finish if the run ends now."""
        return time.monotonic() + GRACE

    def attend(self) -> AbstractContextManager[None]:
        """Hear of stops from other processes while the kernel's thread is busy with something else than trials."""
        return self._mailbox.attended(lambda message: self.stop(message.text, by=message.by))

    def exchange(self, *, elapsed: float) -> None:
        """Apply what other processes ask, and show them what is in flight.

        Args:
            elapsed: wall seconds that the run has worked, over all sessions.
        """
        self._mailbox.exchange(self.apply, self._look, elapsed=elapsed)

    def _look(self) -> Snapshot:
        """Return what the run is doing, for other processes."""
        described = self._activities.list(most=MOST_DESCRIBED)
        return Snapshot(described, self._activities.count, workers=self._look_at_workers())

    def _look_at_workers(self) -> str:
        """Return what people should know of workers that are elsewhere; what is new is an event, too."""
        state = self._executor.state if isinstance(self._executor, RemoteExecutor) else ""
        if state != self._workers:
            self._workers = state
            self._inbox.put_event(WorkersChanged(state=state))
        return state

    def stop(self, reason: str, *, by: str = "") -> None:
        """Open no further trial and give those in flight a moment. Callable from signal handlers, too.

        Args:
            reason: for people.
            by: who stops the run, for programs: a command, `terminal`, or the name of a signal; empty: nobody by name.
        """
        stop = Stop("user", reason, FrozenDict({"by": by} if by else {}))
        self._controls.interruption = self._controls.interruption or stop
        self._models.stop()
        self._inbox.put(partial(self._interrupt, stop))

    def list_in_flight(self) -> Future[tuple[InFlightTrial, ...]]:
        """Describe the trials in flight, once the kernel has done what came in before."""
        listed: Future[tuple[InFlightTrial, ...]] = Future()
        self._inbox.put(lambda: listed.set_result(self._activities.list()))
        return listed

    def tell(self, text: str) -> None:
        """Offer an instruction as advice to every trial that is not open yet."""
        self._inbox.put(partial(self._controls.write, "tell", text))

    def ask(self, request: LlmRequest) -> str:
        """Return a model's answer to a person, logged and paid from the budget like any other.

        Raises:
            LlmRefused: there is no model, or no answer.
            HookAborted: the run ends.
        """
        place = CallSite(None, "ask", "person", f"ask/person/{uuid.uuid4().hex}", "")
        return self._models.ask(place, request, occurrence=0).text

    def apply(self, message: RunMessage) -> None:
        """Do what another process asks, unless that was done before. Called on the kernel's thread."""
        if self._controls.log.has_message(message.id):
            return
        if message.kind == "tell":
            self._controls.write("tell", message.text, message=message.id, strategies=message.strategies)
        else:
            self.stop(message.text, by=message.by)

    def _interrupt(self, stop: Stop) -> None:
        self._give_up_at = min(self._give_up_at, self.end_of_grace())
        self._controls.stop_unless_stopped(stop)


class Activities:
    """A description of the trials in flight, for people."""

    def __init__(self, runner: TrialRunner, plan: RunPlan, parts: RunParts) -> None:
        self._runner = runner
        self._models = parts.models
        self._executor = parts.executor
        # On threads of this process, hooks know which evaluations began.
        self._in_threads = plan.pipeline.executor.driver == "threads"

    @property
    def count(self) -> int:
        """How many trials are being worked on."""
        return self._runner.count

    def list(self, *, most: int | None = None) -> tuple[InFlightTrial, ...]:
        """Describe the trials that are being worked on: all, or the first so many."""
        under_way = self._runner.under_way
        evaluating = self._find_evaluating(under_way)
        return tuple(self._describe(running, is_evaluating=id(running) in evaluating) for running in under_way[:most])

    def _describe(self, running: RunningTrial, *, is_evaluating: bool) -> InFlightTrial:
        pause = self._models.pause_of(running.number)
        parent = running.parents[0] if running.parents else None
        return InFlightTrial(
            trial=running.number,
            operator=_operator_of(running),
            model=self._models.called_by(running.number),
            repairs=len(running.repairs.attempts),
            since=round(running.progress.since, 1),
            waits_until=round(pause.until, 1) if pause else None,
            waits_after=pause.reason if pause else "",
            activity=self._activity_of(running, is_evaluating=is_evaluating),
            parent=parent.number if parent else None,
            parent_score=parent.score if parent else None,
            final=running.is_final,
        )

    def _activity_of(self, running: RunningTrial, *, is_evaluating: bool) -> Activity:
        if self._models.is_queued(running.number):
            return "awaiting-model"
        if self._models.is_asked(running.number):
            return "asking"
        if running.candidate is None:
            return "mutating"
        return "evaluating" if is_evaluating else "awaiting-evaluator"

    def _find_evaluating(self, under_way: tuple[RunningTrial, ...]) -> set[int]:
        """Return by `id` which trials are being evaluated."""
        if self._in_threads:
            return {id(each) for each in under_way if each.hooks.is_evaluating(each.number)}
        # Other executors work elsewhere, on what reached them first.
        queued = (each for each in under_way if each.candidate)
        return {id(each) for each in heapq.nsmallest(self._executor.workers, queued, key=_queued_at)}


def _queued_at(running: RunningTrial) -> float:
    return running.progress.queued_at


def _operator_of(running: RunningTrial) -> str:
    if running.proposal is not None:
        return running.proposal.operator
    return running.candidate.operator if running.candidate else "kernel.seed"

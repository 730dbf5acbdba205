"""Trials on their way through mutate and evaluate, many at a time."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from evograft.concurrency.deadline_pool import DeadlineThreads
from evograft.config.pipeline import Deadlines
from evograft.errors import EvograftError, PluginError, RunStopping
from evograft.log.journal import NO_PRINTS, Prints
from evograft.plugin.context import Scope
from evograft.plugin.hooks import ATTEMPTS, Hooks
from evograft_hookspecs import (
    Attempt,
    Candidate,
    CandidateRejected,
    EvalTask,
    Evaluation,
    Limits,
    Proposal,
    Selection,
    TaskExpired,
    Trial,
    WorkerLost,
)
from evograft_hookspecs.ports import Executor


@dataclass
class RunningTrial:
    """One trial between its opening and its result."""

    number: int
    view: int
    scope: Scope
    hooks: Hooks
    selection: Selection | None = None
    proposal: Proposal | None = None
    parents: tuple[Trial, ...] = ()
    bar: Evaluation | None = None
    mender: str | None = None
    """The operator that a rejected candidate goes to, if there is one."""
    repairs: int = 0
    """How often it does."""
    attempts: tuple[Attempt, ...] = ()
    """What was rejected so far and went back."""
    candidate: Candidate | None = None
    """Known from the start for seeds, else the answer of `mutate`."""
    prints: Prints = NO_PRINTS
    evaluation: Evaluation | None = None
    duplicate_of: int | None = None
    final: bool = False
    """Whether this is no trial but the judgement of the best candidate after the search."""
    queued_at: float = 0.0
    """Monotonic time at which its candidate went to the executor."""
    workers_lost: int = 0
    since: float = field(default_factory=time.time)
    """Unix time of the launch, for people."""

    def to_trial(self) -> Trial:
        """The record of a flight that has landed; drafts of attempts are in the log already, as answers.

        The kernel, which knows the models, adds the one that was called.
        """
        attempts = tuple(attempt.model_copy(update={"draft": ""}) for attempt in self.attempts)
        fields = {name: getattr(self, name) for name in Trial.model_fields if name != "model"}
        return Trial.model_validate({**fields, "attempts": attempts})


@dataclass(frozen=True)
class Made:
    """What `mutate` has made, compared with what was there."""

    candidate: Candidate
    prints: Prints
    duplicate: Trial | None


class Tower(Protocol):
    """Who follows flights: each method is called on the thread that calls `TrialRunner.step`, but for `compared`."""

    def compared(self, flight: RunningTrial, candidate: Candidate) -> Made:
        """The candidate beside the earlier trial in view that it repeats, if it does. Called on any thread."""

    def landed(self, flight: RunningTrial) -> None:
        """The flight has its evaluation."""

    def abandoned(self, flight: RunningTrial, reason: RunStopping) -> None:
        """The flight was given up since the run stops; its trial stays undone."""

    def worker_lost(self, flight: RunningTrial, reason: str) -> None:
        """A worker died over the flight; it is tried again."""


class TrialRunner:
    """Carries flights through the verbs; everything but the verbs themselves happens on the thread that calls `step`.

    Args:
        mutators: how many calls of `mutate` run at a time.
        window: as many calls may hang before the run ends.
    """

    def __init__(self, executor: Executor, tower: Tower, *, mutators: int, window: int, deadlines: Deadlines) -> None:
        self._executor = executor
        self._tower = tower
        self._deadlines = deadlines
        self._most_hung = window
        self._mutators: DeadlineThreads[Made] = DeadlineThreads(mutators, name="mutate")
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._under_way: dict[int, RunningTrial] = {}

    @property
    def under_way(self) -> tuple[RunningTrial, ...]:
        return tuple(self._under_way.values())

    def launch(self, flight: RunningTrial) -> None:
        self._under_way[id(flight)] = flight
        if flight.candidate is None:
            self._mutate(flight)
        elif flight.final:
            self._evaluate(flight, flight.candidate)
        else:
            self._mutated(flight, self._tower.compared(flight, flight.candidate))

    def step(self, *, timeout: float) -> bool:
        """Works off one thing that came in; false when nothing did for `timeout` seconds.

        Raises:
            EvograftError: a flight failed for good; it is no longer under way, the others are.
        """
        try:
            action = self._inbox.get(timeout=timeout)
        except queue.Empty:
            return False
        action()
        return True

    def call_soon(self, action: Callable[[], None]) -> None:
        """Lets the thread that calls `step` do something. Callable from any thread and from signal handlers."""
        self._inbox.put(action)

    def close(self, *, abandon: bool) -> None:
        self._mutators.close()
        self._executor.close(abandon=abandon)

    def _mutate(self, flight: RunningTrial) -> None:
        future = self._mutators.submit(partial(self._make, flight), seconds=self._deadlines.mutate)
        self._when_done(flight, future, partial(self._made, flight))

    def _make(self, flight: RunningTrial) -> Made:
        assert flight.proposal is not None, "a flight without a candidate has a proposal"
        proposal, scope = flight.proposal, flight.scope
        if flight.attempts:
            proposal = proposal.model_copy(update={"operator": flight.mender, "failed": flight.attempts})
            scope = scope.knowing(occurrence=len(flight.attempts))
        candidate = flight.hooks.mutate(scope, proposal, flight.parents)
        return self._tower.compared(flight, candidate)

    def _made(self, flight: RunningTrial, done: Future[Made]) -> None:
        try:
            made = done.result()
        except CandidateRejected as rejection:
            if flight.attempts and not rejection.draft:
                self._land_unmended(flight)
            else:
                self._rejected(flight, Evaluation.rejected(rejection.reason), draft=rejection.draft)
        except TaskExpired as expiry:
            self._land(flight, self._timed_out("mutate", expiry, self._mutators))
        else:
            self._mutated(flight, made)

    def _mutated(self, flight: RunningTrial, made: Made) -> None:
        flight.candidate, flight.prints = made.candidate, made.prints
        if made.duplicate is None:
            self._evaluate(flight, made.candidate)
        else:
            flight.duplicate_of = made.duplicate.number
            self._land(flight, made.duplicate.evaluation)

    def _evaluate(self, flight: RunningTrial, candidate: Candidate) -> None:
        limits = Limits(wall_seconds=self._deadlines.final if flight.final else self._deadlines.evaluate)
        owner = flight.hooks.owner("evaluate").name
        ctx = flight.scope.eval_context(owner, limits=limits, final=flight.final)
        task = EvalTask.model_construct(ctx=ctx, candidate=candidate, bar=flight.bar)
        flight.queued_at = time.monotonic()
        self._when_done(flight, self._executor.submit(task), partial(self._evaluated, flight, candidate))

    def _evaluated(self, flight: RunningTrial, candidate: Candidate, done: Future[Evaluation]) -> None:
        try:
            evaluation = done.result()
        except TaskExpired as expiry:
            evaluation = self._timed_out("evaluate", expiry, self._executor, flight=flight)
        except WorkerLost as loss:
            flight.workers_lost += 1
            self._tower.worker_lost(flight, str(loss))
            if flight.workers_lost < ATTEMPTS:
                self._evaluate(flight, candidate)
                return
            evaluation = Evaluation(status="failed", reason=f"{loss} ({ATTEMPTS} times)")
        if evaluation.status == "rejected":
            self._rejected(flight, evaluation, candidate=candidate)
        else:
            self._land(flight, evaluation)

    def _rejected(
        self, flight: RunningTrial, evaluation: Evaluation, *, candidate: Candidate | None = None, draft: str = ""
    ) -> None:
        """Lets the candidate be mended, or else commits the rejection."""
        if flight.mender is None or len(flight.attempts) >= flight.repairs:
            self._land(flight, evaluation)
            return
        attempt = Attempt(candidate=candidate, draft=draft, reason=evaluation.reason, feedback=evaluation.feedback)
        flight.attempts = (*flight.attempts, attempt)
        flight.candidate = None
        self._mutate(flight)

    def _land_unmended(self, flight: RunningTrial) -> None:
        """The mending operator had nothing to work with: the trial ends as if it had not been asked."""
        *before, last = flight.attempts
        flight.attempts, flight.candidate = tuple(before), last.candidate
        self._land(flight, Evaluation.rejected(last.reason, feedback=last.feedback))

    def _timed_out(
        self,
        hook: str,
        expiry: TaskExpired,
        pool: DeadlineThreads[Made] | Executor,
        *,
        flight: RunningTrial | None = None,
    ) -> Evaluation:
        if pool.hung >= self._most_hung and not (flight and flight.final):
            who = flight.hooks.owner("evaluate") if flight else "plugins with operators"
            raise PluginError(
                f"{who}: hook {hook} has not returned from {pool.hung} calls, as many as the window holds: the last {expiry}"
            )
        return Evaluation.rejected(f"time-out: {hook} {expiry}")

    def _land(self, flight: RunningTrial, evaluation: Evaluation) -> None:
        flight.evaluation = evaluation
        self._tower.landed(flight)
        self._under_way.pop(id(flight), None)

    def _when_done(self, flight: RunningTrial, future: Future[Any], react: Callable[[Future[Any]], None]) -> None:
        future.add_done_callback(lambda done: self._inbox.put(partial(self._react, flight, react, done)))

    def _react(self, flight: RunningTrial, react: Callable[[Future[Any]], None], done: Future[Any]) -> None:
        try:
            react(done)
        except RunStopping as reason:
            self._under_way.pop(id(flight), None)
            self._tower.abandoned(flight, reason)
        except EvograftError:
            self._under_way.pop(id(flight), None)
            raise

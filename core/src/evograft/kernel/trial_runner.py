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
from evograft_hookspecs.drivers.executor import Executor


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
    incumbent: Evaluation | None = None
    repair_operator: str | None = None
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
        """Return the record of a trial that is finished; drafts of attempts are in the log already, as answers.

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


class TrialListener(Protocol):
    """Who follows running trials: each method is called on the thread that calls `TrialRunner.step`, but for `compare`."""

    def compare(self, running: RunningTrial, candidate: Candidate) -> Made:
        """The candidate beside the earlier trial in view that it repeats, if it does. Called on any thread."""

    def kept_by(self, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
        """Return what the evaluations of committed trials have kept, each."""

    def trial_finished(self, running: RunningTrial) -> None:
        """The trial has its evaluation."""

    def trial_abandoned(self, running: RunningTrial, reason: RunStopping) -> None:
        """The trial was given up because the run stops; it stays undone."""

    def worker_lost(self, running: RunningTrial, reason: str) -> None:
        """A worker died over the trial; it is tried again."""


class TrialRunner:
    """Carries trials through the verbs. Everything but the verbs themselves happens on the thread that calls `step`.

    Args:
        mutators: how many calls of `mutate` run at a time.
        window: as many calls may hang before the run ends.
        kept_bytes: the most that an evaluation may keep for its children.
    """

    def __init__(
        self,
        executor: Executor,
        listener: TrialListener,
        *,
        mutators: int,
        window: int,
        deadlines: Deadlines,
        kept_bytes: int,
    ) -> None:
        self._executor = executor
        self._listener = listener
        self._deadlines = deadlines
        self._kept_bytes = kept_bytes
        self._most_hung = window
        self._mutators: DeadlineThreads[Made] = DeadlineThreads(mutators, name="mutate")
        self._inbox: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._under_way: dict[int, RunningTrial] = {}

    @property
    def under_way(self) -> tuple[RunningTrial, ...]:
        return tuple(self._under_way.values())

    def launch(self, running: RunningTrial) -> None:
        self._under_way[id(running)] = running
        if running.candidate is None:
            self._mutate(running)
        elif running.final:
            self._evaluate(running, running.candidate)
        else:
            self._mutated(running, self._listener.compare(running, running.candidate))

    def step(self, *, timeout: float) -> bool:
        """Works off one thing that came in; false when nothing did for `timeout` seconds.

        Raises:
            EvograftError: a trial failed for good; it is no longer under way, the others are.
        """
        try:
            action = self._inbox.get(timeout=timeout)
        except queue.Empty:
            return False
        action()
        return True

    def call_soon(self, action: Callable[[], object]) -> None:
        """Lets the thread that calls `step` do something. Callable from any thread and from signal handlers."""
        self._inbox.put(action)

    def close(self, *, abandon: bool) -> None:
        self._mutators.close()
        self._executor.close(abandon=abandon)

    def _mutate(self, running: RunningTrial) -> None:
        future = self._mutators.submit(partial(self._make, running), seconds=self._deadlines.mutate)
        self._when_done(running, future, partial(self._made, running))

    def _make(self, running: RunningTrial) -> Made:
        assert running.proposal is not None, "a trial without a candidate has a proposal"
        proposal, scope = running.proposal, running.scope
        if running.attempts:
            proposal = proposal.model_copy(update={"operator": running.repair_operator, "failed": running.attempts})
            scope = scope.with_facts(occurrence=len(running.attempts))
        candidate = running.hooks.mutate(scope, proposal, running.parents)
        return self._listener.compare(running, candidate)

    def _made(self, running: RunningTrial, done: Future[Made]) -> None:
        try:
            made = done.result()
        except CandidateRejected as rejection:
            if running.attempts and not rejection.draft:
                self._finish_unrepaired(running)
            else:
                self._rejected(running, Evaluation.rejected(rejection.reason), draft=rejection.draft)
        except TaskExpired as expiry:
            self._finish(running, self._timed_out("mutate", expiry, self._mutators))
        else:
            self._mutated(running, made)

    def _mutated(self, running: RunningTrial, made: Made) -> None:
        running.candidate, running.prints = made.candidate, made.prints
        if made.duplicate is None:
            self._evaluate(running, made.candidate)
        else:
            running.duplicate_of = made.duplicate.number
            self._finish(running, made.duplicate.evaluation)

    def _evaluate(self, running: RunningTrial, candidate: Candidate) -> None:
        seconds = self._deadlines.final if running.final else self._deadlines.evaluate
        limits = Limits(wall_seconds=seconds, kept_bytes=self._kept_bytes)
        owner = running.hooks.owner("evaluate").name
        ctx = running.scope.eval_context(owner, limits=limits, final=running.final)
        kept = self._listener.kept_by(candidate.parents)
        task = EvalTask.model_construct(ctx=ctx, candidate=candidate, incumbent=running.incumbent, parents_kept=kept)
        running.queued_at = time.monotonic()
        self._when_done(running, self._executor.submit(task), partial(self._evaluated, running, candidate))

    def _evaluated(self, running: RunningTrial, candidate: Candidate, done: Future[Evaluation]) -> None:
        try:
            evaluation = done.result()
        except TaskExpired as expiry:
            evaluation = self._timed_out("evaluate", expiry, self._executor, running=running)
        except WorkerLost as loss:
            running.workers_lost += 1
            self._listener.worker_lost(running, str(loss))
            if running.workers_lost < ATTEMPTS:
                self._evaluate(running, candidate)
                return
            evaluation = Evaluation(status="failed", reason=f"{loss} ({ATTEMPTS} times)")
        if evaluation.status == "rejected":
            self._rejected(running, evaluation, candidate=candidate)
        else:
            self._finish(running, evaluation)

    def _rejected(
        self, running: RunningTrial, evaluation: Evaluation, *, candidate: Candidate | None = None, draft: str = ""
    ) -> None:
        """Let the candidate be repaired, or else commits the rejection."""
        if running.repair_operator is None or len(running.attempts) >= running.repairs:
            self._finish(running, evaluation)
            return
        attempt = Attempt(candidate=candidate, draft=draft, reason=evaluation.reason, feedback=evaluation.feedback)
        running.attempts = (*running.attempts, attempt)
        running.candidate = None
        self._mutate(running)

    def _finish_unrepaired(self, running: RunningTrial) -> None:
        """The repairing operator had nothing to work with: the trial ends as if it had not been asked."""
        *before, last = running.attempts
        running.attempts, running.candidate = tuple(before), last.candidate
        self._finish(running, Evaluation.rejected(last.reason, feedback=last.feedback))

    def _timed_out(
        self,
        hook: str,
        expiry: TaskExpired,
        pool: DeadlineThreads[Made] | Executor,
        *,
        running: RunningTrial | None = None,
    ) -> Evaluation:
        if pool.hung >= self._most_hung and not (running and running.final):
            who = running.hooks.owner("evaluate") if running else "plugins with operators"
            raise PluginError(
                f"{who}: hook {hook} has not returned from {pool.hung} calls, as many as the window holds: the last {expiry}"
            )
        return Evaluation.rejected(f"time-out: {hook} {expiry}")

    def _finish(self, running: RunningTrial, evaluation: Evaluation) -> None:
        running.evaluation = evaluation
        self._listener.trial_finished(running)
        self._under_way.pop(id(running), None)

    def _when_done(self, running: RunningTrial, future: Future[Any], react: Callable[[Future[Any]], None]) -> None:
        future.add_done_callback(lambda done: self._inbox.put(partial(self._react, running, react, done)))

    def _react(self, running: RunningTrial, react: Callable[[Future[Any]], None], done: Future[Any]) -> None:
        try:
            react(done)
        except RunStopping as reason:
            self._under_way.pop(id(running), None)
            self._listener.trial_abandoned(running, reason)
        except EvograftError:
            self._under_way.pop(id(running), None)
            raise

"""Trials on their way through mutate and evaluate, many at a time."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from evograft.config import Deadlines
from evograft.errors import EvograftError, PluginError
from evograft.hooks import ATTEMPTS, Hooks
from evograft.pool import DeadlineThreads
from evograft.scope import Scope
from evograft_hookspecs import (
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

MOST_THREADS = 64
"""Calls of `mutate` that run at a time, whatever the window: they wait for models or compute, neither gains by more."""

REEVALUATE = ".reevaluate"
"""An operator of this name evaluates a known, noisy candidate again on purpose."""


@dataclass
class Flight:
    """One trial between its opening and its result."""

    number: int
    view: int
    scope: Scope
    selection: Selection | None = None
    proposal: Proposal | None = None
    parents: tuple[Trial, ...] = ()
    bar: Evaluation | None = None
    candidate: Candidate | None = None
    """Known from the start for seeds, else the answer of `mutate`."""
    evaluation: Evaluation | None = None
    duplicate_of: int | None = None
    final: bool = False
    """Whether this is no trial but the judgement of the best candidate after the search."""
    workers_lost: int = 0

    def to_trial(self) -> Trial:
        """The record of a flight that has landed."""
        return Trial.model_validate({name: getattr(self, name) for name in Trial.model_fields})


class Flights:
    """Carries flights through the verbs; everything but the verbs themselves happens on the thread that calls `step`.

    Args:
        find_duplicate: the earlier trial in the flight's view with the same candidate.
        landed: called with each flight that has its evaluation.
        worker_lost: called with a flight and the reason, before it is tried again.
    """

    def __init__(
        self,
        hooks: Hooks,
        executor: Executor,
        *,
        window: int,
        deadlines: Deadlines,
        find_duplicate: Callable[[Flight], Trial | None],
        landed: Callable[[Flight], None],
        worker_lost: Callable[[Flight, str], None],
    ) -> None:
        self._hooks = hooks
        self._executor = executor
        self._deadlines = deadlines
        self._most_hung = window
        self._find_duplicate = find_duplicate
        self._landed = landed
        self._worker_lost = worker_lost
        self._mutators: DeadlineThreads[Candidate] = DeadlineThreads(min(window, MOST_THREADS), name="mutate")
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.under_way = 0

    def launch(self, flight: Flight) -> None:
        self.under_way += 1
        if flight.candidate is None:
            self._mutate(flight)
        elif flight.final:
            self._evaluate(flight, flight.candidate)
        else:
            self._evaluate_if_new(flight, flight.candidate)

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

    def _mutate(self, flight: Flight) -> None:
        assert flight.proposal is not None, "a flight without a candidate has a proposal"
        call = partial(self._hooks.mutate, flight.scope, flight.proposal, flight.parents)
        future = self._mutators.submit(call, seconds=self._deadlines.mutate)
        self._when_done(future, partial(self._mutated, flight))

    def _mutated(self, flight: Flight, done: Future[Candidate]) -> None:
        try:
            flight.candidate = done.result()
        except CandidateRejected as rejection:
            self._land(flight, Evaluation.rejected(rejection.reason))
        except TaskExpired as expiry:
            self._land(flight, self._timed_out("mutate", expiry, self._mutators))
        else:
            self._evaluate_if_new(flight, flight.candidate)

    def _evaluate_if_new(self, flight: Flight, candidate: Candidate) -> None:
        on_purpose = candidate.operator.endswith(REEVALUATE)
        earlier = None if on_purpose else self._find_duplicate(flight)
        if earlier is None:
            self._evaluate(flight, candidate)
        else:
            flight.duplicate_of = earlier.number
            self._land(flight, earlier.evaluation)

    def _evaluate(self, flight: Flight, candidate: Candidate) -> None:
        limits = Limits(wall_seconds=self._deadlines.final if flight.final else self._deadlines.evaluate)
        owner = self._hooks.owner("evaluate").name
        ctx = flight.scope.eval_context(owner, limits=limits, final=flight.final)
        task = EvalTask.model_construct(ctx=ctx, candidate=candidate, bar=flight.bar)
        self._when_done(self._executor.submit(task), partial(self._evaluated, flight, candidate))

    def _evaluated(self, flight: Flight, candidate: Candidate, done: Future[Evaluation]) -> None:
        try:
            evaluation = done.result()
        except TaskExpired as expiry:
            evaluation = self._timed_out("evaluate", expiry, self._executor, final=flight.final)
        except WorkerLost as loss:
            flight.workers_lost += 1
            self._worker_lost(flight, str(loss))
            if flight.workers_lost < ATTEMPTS:
                self._evaluate(flight, candidate)
                return
            evaluation = Evaluation(status="failed", reason=f"{loss} ({ATTEMPTS} times)")
        self._land(flight, evaluation)

    def _timed_out(
        self, hook: str, expiry: TaskExpired, pool: DeadlineThreads[Candidate] | Executor, *, final: bool = False
    ) -> Evaluation:
        if pool.hung >= self._most_hung and not final:
            who = self._hooks.owner("evaluate") if hook == "evaluate" else "plugins with operators"
            raise PluginError(
                f"{who}: hook {hook} has not returned from {pool.hung} calls, as many as the window holds: the last {expiry}"
            )
        return Evaluation.rejected(f"time-out: {hook} {expiry}")

    def _land(self, flight: Flight, evaluation: Evaluation) -> None:
        flight.evaluation = evaluation
        self._landed(flight)
        self.under_way -= 1

    def _when_done(self, future: Future[Any], react: Callable[[Future[Any]], None]) -> None:
        future.add_done_callback(lambda done: self._inbox.put(partial(self._react, react, done)))

    def _react(self, react: Callable[[Future[Any]], None], done: Future[Any]) -> None:
        try:
            react(done)
        except EvograftError:
            self.under_way -= 1
            raise

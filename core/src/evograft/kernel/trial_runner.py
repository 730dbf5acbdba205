"""The trial runner: carries trials through mutate, duplicate check, evaluate and repair, many at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from evograft.concurrency.deadline_pool import DeadlineThreads
from evograft.errors import EvograftError, PluginError
from evograft.kernel.duplicates import DuplicateCheck
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.running_trial import RunningTrial
from evograft.plugin.hooks import ATTEMPTS
from evograft_hookspecs import (
    Attempt,
    Candidate,
    CandidateRejected,
    EvalTask,
    Evaluation,
    Limits,
    TaskExpired,
    WorkerFailed,
    WorkerLost,
)
from evograft_hookspecs.drivers.executor import Executor

MOST_MUTATORS = 64
"""The most calls of `mutate` at a time, unless more wait for models: computing gains nothing by more."""


class MadeCandidate(NamedTuple):
    """A candidate that `mutate` has made, compared with those that were there."""

    candidate: Candidate
    check: DuplicateCheck


class TrialRunner:
    """The carrier of trials through the verbs.

    Everything but the verbs themselves happens on the thread that empties the inbox.
    """

    def __init__(self, plan: RunPlan, parts: RunParts) -> None:
        pipeline, window = plan.pipeline, max(window for _, window in plan.windows)
        self._executor = parts.executor
        self._population = parts.population
        self._duplicates = parts.duplicates
        self._inbox = parts.inbox
        self._deadlines = pipeline.deadlines
        self._kept_bytes = pipeline.kept_bytes
        self._most_hung = window
        """The number of calls that may hang before the run ends."""
        mutators = min(window, max(MOST_MUTATORS, 2 * pipeline.llm.slots))
        self._mutators: DeadlineThreads[MadeCandidate] = DeadlineThreads(mutators, name="mutate")
        self._under_way: dict[int, RunningTrial] = {}
        self._held: list[RunningTrial] | None = None
        self._results: deque[RunningTrial | WorkerFailed] = deque()

    @property
    def under_way(self) -> tuple[RunningTrial, ...]:
        return tuple(self._under_way.values())

    @property
    def count(self) -> int:
        """How many trials are under way."""
        return len(self._under_way)

    def start(self, running: RunningTrial) -> None:
        """Carry a trial through the verbs; where trials are held, it begins later."""
        if self._held is None:
            self._launch(running)
        else:
            self._held.append(running)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Start no trial before the end of the block."""
        held = self._held = []
        yield
        self._held = None
        for running in held:
            self._launch(running)

    def take_result(self) -> RunningTrial | WorkerFailed | None:
        """Return a trial that has its evaluation, or a worker that died over one; `None`: nothing has happened."""
        return self._results.popleft() if self._results else None

    def close(self, *, abandon: bool) -> None:
        self._mutators.close()
        self._executor.close(abandon=abandon)

    def _launch(self, running: RunningTrial) -> None:
        self._under_way[id(running)] = running
        if running.candidate is None:
            self._mutate(running)
        elif running.is_final:
            self._evaluate(running, running.candidate)
        else:
            self._check_duplicate(running, self._compare(running, running.candidate))

    def _mutate(self, running: RunningTrial) -> None:
        future = self._mutators.submit(partial(self._make, running), seconds=self._deadlines.mutate)
        self._when_done(running, future, partial(self._take_made, running))

    def _make(self, running: RunningTrial) -> MadeCandidate:
        """Make a candidate, on a thread of its own."""
        assert running.proposal is not None, "a trial without a candidate has a proposal"
        proposal, scope, repairs = running.proposal, running.scope, running.repairs
        if repairs.attempts:
            proposal = proposal.model_copy(update={"operator": repairs.operator, "failed": repairs.attempts})
            scope = scope.with_facts(occurrence=len(repairs.attempts))
        candidate = running.hooks.mutate(scope, proposal, running.parents)
        return self._compare(running, candidate)

    def _compare(self, running: RunningTrial, candidate: Candidate) -> MadeCandidate:
        """Look for an earlier trial in view that a candidate repeats. Called on any thread."""
        check = self._duplicates.compare(
            candidate,
            running.problem.language,
            parents=running.parents,
            view=running.view,
            is_meant=running.hooks.reevaluates(candidate.operator),
        )
        return MadeCandidate(candidate, check)

    def _take_made(self, running: RunningTrial, done: Future[MadeCandidate]) -> None:
        try:
            made = done.result()
        except CandidateRejected as rejection:
            if running.repairs.attempts and not rejection.draft:
                # The repair operator had nothing to work with: the trial ends as if it had not been asked.
                last, evaluation = running.repairs.withdraw()
                running.candidate = last.candidate
                self._finish(running, evaluation)
            else:
                self._repair_or_finish(running, Evaluation.rejected(rejection.reason), draft=rejection.draft)
        except TaskExpired as expiry:
            self._finish(running, self._reject_late("mutate", expiry, self._mutators))
        else:
            self._check_duplicate(running, made)

    def _check_duplicate(self, running: RunningTrial, made: MadeCandidate) -> None:
        duplicate = made.check.duplicate
        running.candidate, running.prints = made.candidate, made.check.prints
        if duplicate is None:
            self._evaluate(running, made.candidate)
        else:
            running.duplicate_of = duplicate.number
            self._finish(running, duplicate.evaluation)

    def _evaluate(self, running: RunningTrial, candidate: Candidate) -> None:
        seconds = self._deadlines.final if running.is_final else self._deadlines.evaluate
        limits = Limits(wall_seconds=seconds, kept_bytes=self._kept_bytes)
        owner = running.hooks.owner("evaluate").name
        ctx = running.scope.eval_context(owner, limits=limits, final=running.is_final)
        kept = self._population.kept_by(candidate.parents)
        task = EvalTask.model_construct(ctx=ctx, candidate=candidate, incumbent=running.incumbent, parents_kept=kept)
        running.progress.queued_at = time.monotonic()
        self._when_done(running, self._executor.submit(task), partial(self._take_evaluation, running, candidate))

    def _take_evaluation(self, running: RunningTrial, candidate: Candidate, done: Future[Evaluation]) -> None:
        try:
            evaluation = done.result()
        except TaskExpired as expiry:
            evaluation = self._reject_late("evaluate", expiry, self._executor, running=running)
        except WorkerLost as loss:
            running.progress.workers_lost += 1
            self._results.append(WorkerFailed(trial=running.number, reason=str(loss)))
            if running.progress.workers_lost < ATTEMPTS:
                self._evaluate(running, candidate)
                return
            evaluation = Evaluation(status="failed", reason=f"{loss} ({ATTEMPTS} times)")
        if evaluation.status == "rejected":
            self._repair_or_finish(running, evaluation, candidate=candidate)
        else:
            self._finish(running, evaluation)

    def _repair_or_finish(
        self, running: RunningTrial, evaluation: Evaluation, *, candidate: Candidate | None = None, draft: str = ""
    ) -> None:
        """Let a rejected candidate be repaired, or else end the trial with the rejection."""
        if not running.repairs.is_possible:
            self._finish(running, evaluation)
            return
        attempt = Attempt(candidate=candidate, draft=draft, reason=evaluation.reason, feedback=evaluation.feedback)
        running.repairs.add(attempt, evaluation)
        running.candidate = None
        self._mutate(running)

    def _reject_late(
        self,
        hook: str,
        expiry: TaskExpired,
        pool: DeadlineThreads[MadeCandidate] | Executor,
        *,
        running: RunningTrial | None = None,
    ) -> Evaluation:
        if pool.hung >= self._most_hung and not (running and running.is_final):
            who = running.hooks.owner("evaluate") if running else "plugins with operators"
            raise PluginError(
                f"{who}: hook {hook} has not returned from {pool.hung} calls, as many as the window holds: "
                f"the last {expiry}"
            )
        return Evaluation.rejected(f"time-out: {hook} {expiry}")

    def _finish(self, running: RunningTrial, evaluation: Evaluation) -> None:
        running.evaluation = evaluation
        self._under_way.pop(id(running), None)
        self._results.append(running)

    def _when_done(self, running: RunningTrial, future: Future[Any], react: Callable[[Future[Any]], None]) -> None:
        future.add_done_callback(lambda done: self._inbox.put(partial(self._react, running, react, done)))

    def _react(self, running: RunningTrial, react: Callable[[Future[Any]], None], done: Future[Any]) -> None:
        """Do what follows from a call that has ended.

        Raises:
            EvograftError: the trial failed for good, or was given up; it is no longer under way, the others are.
        """
        try:
            react(done)
        except EvograftError:
            self._under_way.pop(id(running), None)
            raise

"""Evaluations that an operator asks for before it hands in its candidate: carried out like those of trials."""

from __future__ import annotations

import threading
from collections import defaultdict

from evograft.concurrency.deadline_pool import off_the_clock
from evograft.concurrency.shared_lock import SharedLock
from evograft.config.pipeline import Pipeline
from evograft.errors import EvograftError, HookAborted
from evograft.log.population import Population
from evograft.plugin.context import Scope
from evograft.plugin.hooks import ATTEMPTS, Hooks
from evograft_hookspecs import Candidate, EvalTask, Evaluation, Limits, TaskExpired, WorkerLost
from evograft_hookspecs.drivers.executor import Executor


class PreliminaryEvaluations:
    """The evaluations of one set of plugins, on any thread.

    Args:
        lock: what plugins without thread safety share; let go of while an evaluation is waited for.
    """

    def __init__(self, pipeline: Pipeline, executor: Executor, population: Population, lock: SharedLock) -> None:
        self._limits = Limits(wall_seconds=pipeline.deadlines.evaluate, kept_bytes=pipeline.kept_bytes)
        self._executor = executor
        self._population = population
        self._lock = lock
        self._used: defaultdict[int, dict[str, Evaluation]] = defaultdict(dict)
        """By trial in flight and key: a hook that is called again in place asks for the same ones."""
        self._guard = threading.Lock()

    def carry_out(self, hooks: Hooks, scope: Scope, candidate: Candidate) -> Evaluation:
        """Evaluate a candidate on the run's executor.

        Raises:
            HookAborted: the evaluator failed, or the run ends.
        """
        ctx = scope.eval_context(hooks.owner("evaluate").name, limits=self._limits, final=False)
        kept = self._population.kept_by(candidate.parents)
        task = EvalTask.model_construct(ctx=ctx, candidate=candidate, incumbent=None, parents_kept=kept)
        with self._lock.released(), off_the_clock():
            return self._await(task).model_copy(update={"kept": b""})

    def _await(self, task: EvalTask) -> Evaluation:
        reason = ""
        for _ in range(ATTEMPTS):
            try:
                return self._executor.submit(task).result()
            except TaskExpired as expiry:
                return Evaluation.rejected(f"time-out: evaluate {expiry}")
            except WorkerLost as loss:
                reason = str(loss)
            except EvograftError as err:
                raise HookAborted(err) from err
        return Evaluation(status="failed", reason=f"{reason} ({ATTEMPTS} times)")

    def note(self, trial: int, key: str, evaluation: Evaluation) -> None:
        """Count an evaluation that a trial has used, be it from the log."""
        with self._guard:
            self._used[trial][key] = evaluation

    def settle(self, trial: int) -> tuple[Evaluation, ...]:
        """Return the evaluations that a trial has used, once: when it is finished."""
        with self._guard:
            return tuple(self._used.pop(trial, {}).values())

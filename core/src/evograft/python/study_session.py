"""The session of a study: the kernel on a thread of its own, whose tasks are handed to the caller."""

from __future__ import annotations

import threading
from concurrent.futures import TimeoutError as NotYet

from evograft.drivers.executor.caller import CallerExecutor, OpenTask
from evograft.errors import EvograftError, RunStopping, UserError
from evograft.kernel.kernel import Kernel
from evograft.log.population import Best
from evograft.plugin.loading import ActivePlugin
from evograft.runs.lock_file import RunFolder
from evograft.session.resolved_run import ResolvedRun
from evograft.session.session import open_session
from evograft_hookspecs import CONTRACT, EvalTask, Evaluation, Event, Manifest, RunEnded, TrialCommitted, hookimpl

LOOK_SECONDS = 0.2
"""Seconds between two looks at whether a task can still come."""


class TrialsOpen(UserError):  # noqa: N818 - it names the state
    """Trials that are open have to be told before another one opens."""


class StudyEnded(UserError):  # noqa: N818 - it names what happened
    """No further trial opens: the budget is spent, or the study was closed."""


class BestObserver:
    """The best trial so far, and the end of the run, as observers hear of them."""

    def __init__(self) -> None:
        self._best = Best()
        self.ended: RunEnded | None = None

    def as_plugin(self) -> ActivePlugin:
        # No name that a plugin can have, so that none clashes with it.
        manifest = Manifest(name="study", contract=CONTRACT, thread_safe=True)
        return ActivePlugin("evograft.study", self, manifest, "evograft")

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, TrialCommitted):
            self._best.see(event.trial)
        elif isinstance(event, RunEnded):
            self.ended = event

    def evaluate_again(self, _task: EvalTask) -> Evaluation:
        """Return what was told of the best candidate: a study has no data that no choice has depended on."""
        assert self._best.trial is not None, "only the best candidate has a final evaluation"
        return self._best.trial.evaluation


class StudySession:
    """A kernel that works in the background of the caller's thread.

    Args:
        run: its folder.
        resolved: its settings with drivers and plugins.
    """

    def __init__(self, run: RunFolder, resolved: ResolvedRun) -> None:
        if not isinstance(resolved.executor, CallerExecutor):
            raise UserError(f"run {run.name!r} evaluates by itself: continue it with evograft.resume")
        self._run, self._resolved, self._executor = run, resolved, resolved.executor
        self._observer = BestObserver()
        self._executor.attend(self._observer.evaluate_again)
        self._kernel: Kernel | None = None
        self._failure: BaseException | None = None
        self._taken: set[OpenTask] = set()
        # A daemon, as all that can be lost with the process is in the log.
        self._thread = threading.Thread(target=self._work, name="study", daemon=True)
        self._thread.start()

    def take(self) -> OpenTask:
        """Return the next task, as soon as there is one.

        Raises:
            TrialsOpen: none comes before others are settled.
            StudyEnded: none comes any more.
            EvograftError: what has ended the run.
        """
        while (task := self._executor.take(timeout=LOOK_SECONDS)) is None:
            self.require_live()
            if self._is_stuck():
                numbers = ", ".join(str(each.task.ctx.trial) for each in self.open_tasks)
                raise TrialsOpen(f"no other trial opens before these are told: {numbers}")
        self._taken.add(task)
        return task

    def take_ready(self) -> OpenTask | None:
        """Return the next task if there is one once the kernel has done what it can; `None`: others come first.

        It raises what `take` raises, except `TrialsOpen`.
        """
        try:
            return self.take()
        except TrialsOpen:
            return None

    @property
    def open_tasks(self) -> list[OpenTask]:
        """The tasks that were taken and wait, in the order of their trials."""
        return sorted(self._taken, key=lambda each: each.task.ctx.trial)

    def settle(self, task: OpenTask, evaluation: Evaluation) -> None:
        """Hand in the evaluation of a task."""
        self.require_live()
        self._taken.discard(task)
        task.future.set_result(evaluation)

    def require_live(self) -> None:
        """Raise what has ended the run, if it has ended."""
        if self._thread.is_alive():
            return
        if self._failure is not None:
            raise self._failure
        reason = self._observer.ended.reason if self._observer.ended else "it was closed"
        raise StudyEnded(f"study {self._run.name} has ended: {reason}")

    def close(self) -> None:
        """Stop the run, and wait until its log is closed; tasks that wait are carried out when it is continued."""
        kernel = self._kernel
        if kernel is not None:
            kernel.requests.stop("study closed", by="study.close()")
        self._executor.close()
        for task in self._taken:
            task.future.set_exception(RunStopping("the study was closed"))
        self._taken.clear()
        self._thread.join()

    def _work(self) -> None:
        try:
            with open_session(
                self._run, observers=[self._observer.as_plugin()], resolved=self._resolved
            ) as self._kernel:
                self._kernel.run()
        except EvograftError as err:
            self._failure = err
        finally:
            self._executor.close()

    def _is_stuck(self) -> bool:
        """Return whether the kernel has done all it can, and waits for nothing but tasks that were taken."""
        if self._kernel is None or not self._taken:
            return False
        try:
            in_flight = self._kernel.requests.list_in_flight().result(LOOK_SECONDS)
        except NotYet:
            return False
        return all(each.activity in ("evaluating", "awaiting-evaluator") for each in in_flight) and (
            len(in_flight) == len(self._taken)
        )

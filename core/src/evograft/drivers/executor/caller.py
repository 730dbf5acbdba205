"""Evaluations by whoever made the run: tasks wait until they are asked for, and their futures until they are told."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from evograft.errors import RunStopping, UserError
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, NoOptions

MOST = 1024
"""Evaluations at a time, as far as an executor has to say: a caller may work on any number."""


@dataclass(frozen=True)
class OpenTask:
    """A task that waits for its evaluation."""

    task: EvalTask
    future: Future[Evaluation] = field(default_factory=Future)


class CallerExecutor:
    """An executor that evaluates nothing: a study takes its tasks and settles their futures.

    There are no deadlines, because a person may take days.
    """

    Options = NoOptions
    workers = MOST
    hung = 0

    def __init__(self, options: NoOptions) -> None:  # noqa: ARG002 - there are none
        self._final: Evaluator | None = None
        self._waiting: deque[OpenTask] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def attend(self, final: Evaluator) -> None:
        """Promise to take tasks.

        Args:
            final: answers the task of the end, for which nobody is asked: there is no other data.
        """
        self._final = final

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:  # noqa: ARG002 - the protocol's
        if self._final is None:
            raise UserError(
                "the scores of this run are told by a program: continue it in Python with evograft.study(resume=RUN)"
            )

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        open_task = OpenTask(task)
        if task.ctx.purpose == "final":
            assert self._final is not None, "start has looked"
            open_task.future.set_result(self._final(task))
            return open_task.future
        with self._changed:
            if self._closed:
                open_task.future.set_exception(RunStopping("the study was closed"))
            else:
                self._waiting.append(open_task)
            self._changed.notify_all()
        return open_task.future

    def take(self, *, timeout: float) -> OpenTask | None:
        """Return the next task; `None`: none comes in this time, or ever again."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed, timeout)
            return self._waiting.popleft() if self._waiting else None

    def close(self, *, abandon: bool = False) -> None:  # noqa: ARG002 - nothing is under way here
        with self._changed:
            self._closed = True
            given_up, self._waiting = tuple(self._waiting), deque()
            self._changed.notify_all()
        for each in given_up:
            each.future.set_exception(RunStopping("the study was closed"))

"""Evaluations on threads of the kernel's own process."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated

from pydantic import Field

from evograft.concurrency.deadline_pool import DeadlineThreads
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, NoOptions


class ThreadsOptions(NoOptions):
    """Options of the driver `threads`."""

    workers: Annotated[int, Field(strict=True, ge=1)] = Field(default_factory=lambda: os.cpu_count() or 1)
    """How many evaluations run at a time; the default is the number of cores."""


class ThreadsExecutor:
    """The default: right where evaluation waits for a sandbox, a container or a service."""

    Options = ThreadsOptions

    def __init__(self, options: ThreadsOptions) -> None:
        self.workers = options.workers
        self._threads: DeadlineThreads[Evaluation] | None = None

    @property
    def hung(self) -> int:
        return self._threads.hung if self._threads else 0

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:  # noqa: ARG002 - the protocol's
        self._local = local
        self._threads = DeadlineThreads(self.workers, name="evaluate")

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        assert self._threads is not None, "start comes before submit"
        return self._threads.submit(functools.partial(self._local, task), seconds=task.ctx.limits.wall_seconds)

    def close(self, *, abandon: bool = False) -> None:  # noqa: ARG002 - threads cannot be killed: they end with us
        if self._threads:
            self._threads.close()

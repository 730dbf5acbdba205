"""Executors of evaluations (entry point group `evograft.executor`)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, runtime_checkable

from evograft_hookspecs.contexts import EvalTask
from evograft_hookspecs.types import Evaluation

Evaluator = Callable[[EvalTask], Evaluation]
"""Carries out an `EvalTask` with the plugins of this process."""


class WorkerLost(Exception):  # noqa: N818 - it says how to react
    """The worker died before it answered; the task may be given to another one."""


class TaskExpired(Exception):  # noqa: N818 - it says how to react
    """The task ran past its limit and was given up."""


class Executor(Protocol):
    """Where `evaluate` runs."""

    @property
    def workers(self) -> int:
        """How many evaluations run at a time."""

    @property
    def hung(self) -> int:
        """How many workers are lost to calls that were given up and have not returned."""

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:
        """Get ready; `close` may be called without it.

        Args:
            local: evaluates with the kernel's own plugins, in this process.
            remote: picklable; called once in each worker process, it builds that worker's plugins.
        """

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        """Evaluate somewhere; the future may also raise `WorkerLost`, `TaskExpired`, or what the plugin raised."""

    def close(self, *, abandon: bool = False) -> None:
        """End all workers, at once if `abandon`; leave no process behind."""


@runtime_checkable
class RemoteExecutor(Executor, Protocol):
    """An executor whose workers are elsewhere, come and go, and may not fit."""

    @property
    def state(self) -> str:
        """What people should know of the workers, such as that none is there; empty: all is well."""

"""Evaluations in processes of their own: a worker that dies or hangs costs one call, not the pool."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Annotated

from pydantic import Field

from evograft.drivers.executor.worker_process import NotStartedError, WorkerProcess
from evograft.errors import RunStopping, ServiceError
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, NoOptions, TaskExpired, WorkerLost

MOST_STILLBORN = 3
"""How many workers of a slot may die one after another before they take a task."""

Order = tuple[EvalTask, Future[Evaluation]]


class ProcessesOptions(NoOptions):
    """Options of the driver `processes`."""

    workers: Annotated[int, Field(strict=True, ge=1)] = Field(default_factory=lambda: os.cpu_count() or 1)
    """How many processes; the default is the number of cores."""


class ProcessesExecutor:
    """An executor with one thread and one slot per worker.

    A worker builds the plugins once, for itself.
    """

    Options = ProcessesOptions

    def __init__(self, options: ProcessesOptions) -> None:
        self.workers = options.workers
        self.hung = 0
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._slots: tuple[Slot, ...] = ()
        self._threads: tuple[threading.Thread, ...] = ()

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:  # noqa: ARG002 - the protocol's
        self._slots = tuple(Slot(remote) for _ in range(self.workers))
        self._threads = tuple(
            threading.Thread(target=self._serve, args=(slot,), name="evaluate", daemon=True) for slot in self._slots
        )
        for thread in self._threads:
            thread.start()

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        future: Future[Evaluation] = Future()
        self._orders.put((task, future))
        return future

    def close(self, *, abandon: bool = False) -> None:
        for _ in self._threads:
            self._orders.put(None)
        if abandon:
            for slot in self._slots:
                slot.abandon()
        for thread in self._threads:
            thread.join()

    def _serve(self, slot: Slot) -> None:
        while (order := self._orders.get()) is not None:
            task, future = order
            try:
                future.set_result(slot.evaluate(task))
            except BaseException as err:  # noqa: BLE001 - it travels to whoever waits for the future
                future.set_exception(err)
        slot.close()


class Slot:
    """The slot of one worker, which is started when a task needs it, and replaced when it has died.

    Args:
        remote: picklable; builds the plugins in the worker.
        environment: of the worker; `None`: that of this process.
        cores: the numbers of those that the worker may use; empty: all that this process may.
    """

    def __init__(
        self,
        remote: Callable[[], Evaluator],
        *,
        environment: Mapping[str, str] | None = None,
        cores: frozenset[int] = frozenset(),
    ) -> None:
        self._begin = partial(WorkerProcess, remote, environment=environment, cores=cores)
        self._worker: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._abandoned = False

    def evaluate(
        self,
        task: EvalTask,
        *,
        on_start: Callable[[], None] = lambda: None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Evaluation:
        """Have the slot's worker carry out a task, as `WorkerProcess.evaluate` does.

        A worker that dies before it begins with the task is replaced: the task is not to blame.

        Raises:
            ServiceError: workers die before they can take it.
        """
        losses: list[WorkerLost] = []
        while len(losses) < MOST_STILLBORN:
            try:
                return self._ready_worker().evaluate(task, on_start=on_start, is_wanted=is_wanted)
            except NotStartedError as loss:
                self._end_worker()
                losses.append(loss)
            except (TaskExpired, WorkerLost, RunStopping):
                self._end_worker()
                raise
        raise ServiceError(
            f"{losses[-1]} before it took a task, {MOST_STILLBORN} times in a row: look at what setup_env does "
            "in a worker, at memory and at limits of the machine"
        )

    def abandon(self) -> None:
        """End the worker at once, and refuse to start another. Callable from any thread."""
        with self._lock:
            self._abandoned = True
            if self._worker is not None:
                self._worker.kill()

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.kill()
        self.close()

    def _ready_worker(self) -> WorkerProcess:
        if self._worker is not None and self._worker.is_alive():
            return self._worker
        self.close()
        with self._lock:
            if self._abandoned:
                raise WorkerLost("the worker process was given up")
            worker = self._worker = self._begin()
        worker.wait_until_ready()
        return worker

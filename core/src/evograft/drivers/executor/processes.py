"""Evaluations in processes of their own: a worker that dies or hangs costs one call, not the pool."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated

from pydantic import Field

from evograft.drivers.executor.worker_process import WorkerProcess
from evograft.errors import ServiceError
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
    """The slot of one worker, which is started when a task needs it, and replaced when it has died."""

    def __init__(self, remote: Callable[[], Evaluator]) -> None:
        self._remote = remote
        self._worker: WorkerProcess | None = None
        self._lock = threading.Lock()
        self._abandoned = False

    def evaluate(self, task: EvalTask) -> Evaluation:
        """Have the slot's worker carry out a task.

        Raises:
            ServiceError: workers die before they can take it.
        """
        worker = self._ready_worker()
        try:
            return worker.evaluate(task)
        except (TaskExpired, WorkerLost):
            worker.kill()
            self.close()
            raise

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

    def _ready_worker(self) -> WorkerProcess:
        if self._worker is not None and self._worker.is_alive():
            return self._worker
        losses: list[WorkerLost] = []
        while len(losses) < MOST_STILLBORN:
            self.close()
            try:
                return self._start()
            except WorkerLost as loss:
                losses.append(loss)
        raise ServiceError(
            f"{losses[-1]} before it took a task, {MOST_STILLBORN} times in a row: look at what setup_env does "
            "in a worker, at memory and at limits of the machine"
        )

    def _start(self) -> WorkerProcess:
        with self._lock:
            if self._abandoned:
                raise WorkerLost("the worker process was given up")
            worker = self._worker = WorkerProcess(self._remote)
        worker.wait_until_ready()
        return worker

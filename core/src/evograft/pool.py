"""Threads that carry out calls under a deadline, and are replaced when a call never returns."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from evograft_hookspecs import TaskExpired

T = TypeVar("T")


@dataclass
class _Job(Generic[T]):
    call: Callable[[], T]
    seconds: float
    future: Future[T] = field(default_factory=Future)
    deadline: float = float("inf")
    """Set when it starts: waiting in the queue does not count."""


class DeadlineThreads(Generic[T]):
    """A pool of daemon threads.

    A thread cannot be killed: a call that runs past its deadline is given up, its thread is counted as hung and another
    one takes its place.
    """

    def __init__(self, workers: int, *, name: str) -> None:
        self.workers = workers
        self.hung = 0
        self._name = name
        self._jobs: queue.SimpleQueue[_Job[T] | None] = queue.SimpleQueue()
        self._running: dict[int, _Job[T]] = {}
        self._closed = threading.Event()
        for _ in range(workers):
            self._hire()
        threading.Thread(target=self._watch, name=f"{name}-watch", daemon=True).start()

    def submit(self, call: Callable[[], T], *, seconds: float) -> Future[T]:
        """Carries the call out; the future raises `TaskExpired` when it takes longer than `seconds`."""
        job = _Job(call, seconds)
        self._jobs.put(job)
        return job.future

    def close(self) -> None:
        """Lets the threads end as soon as they are idle; those that hang end with the process."""
        self._closed.set()
        for _ in range(self.workers + self.hung):
            self._jobs.put(None)

    def _hire(self) -> None:
        threading.Thread(target=self._work, name=self._name, daemon=True).start()

    def _work(self) -> None:
        me = threading.get_ident()
        while (job := self._jobs.get()) is not None:
            job.deadline = time.monotonic() + job.seconds
            self._running[me] = job
            outcome = _outcome_of(job)
            if self._running.pop(me, None) is not job:
                return  # given up meanwhile: the future is settled and another thread has this place
            outcome()

    def _watch(self) -> None:
        while not self._closed.wait(0.1):
            now = time.monotonic()
            for thread, job in tuple(self._running.items()):
                # Whoever takes the job out of the table settles its future.
                if now > job.deadline and self._running.pop(thread, None) is job:
                    self.hung += 1
                    self._hire()
                    job.future.set_exception(TaskExpired(f"ran for more than {job.seconds:g} s"))


def _outcome_of(job: _Job[T]) -> Callable[[], None]:
    """Makes the call, and returns what settles its future."""
    try:
        result = job.call()
    except BaseException as err:  # noqa: BLE001 - it travels to whoever waits for the future
        return partial(job.future.set_exception, err)
    return partial(job.future.set_result, result)

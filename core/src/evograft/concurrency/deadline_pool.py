"""Threads that carry out calls under a deadline, and are replaced when a call never returns."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from evograft_hookspecs import TaskExpired

T = TypeVar("T")


@dataclass
class Job(Generic[T]):
    """A call that waits for a thread, or has one."""

    call: Callable[[], T]
    seconds: float
    future: Future[T] = field(default_factory=Future)
    deadline: float = float("inf")
    """Set when it starts: waiting in the queue does not count."""
    when_given_up: Callable[[], None] = lambda: None
    """Frees what the call holds, should its thread never come back."""
    given_up: bool = False

    def start_clock(self) -> None:
        self.deadline = time.monotonic() + self.seconds


_THIS_THREAD = threading.local()


def current_job() -> Job[Any] | None:
    """Return the job that this thread works on, if it is one of a pool's."""
    job: Job[Any] | None = getattr(_THIS_THREAD, "job", None)
    return job


def is_given_up() -> bool:
    """Return whether nobody waits any more for what this thread does."""
    job = current_job()
    return job is not None and job.given_up


@contextmanager
def off_the_clock() -> Iterator[None]:
    """Keep the time in the block out of the deadline of this thread's call."""
    job = current_job()
    if job is None:
        yield
        return
    left = job.deadline - time.monotonic()
    job.deadline = float("inf")
    try:
        yield
    finally:
        job.deadline = time.monotonic() + left


class DeadlineThreads(Generic[T]):
    """A pool of daemon threads.

    A thread cannot be killed: a call that runs past its deadline is given up, its thread is counted as hung until it
    returns, and another one takes its place.
    """

    def __init__(self, workers: int, *, name: str) -> None:
        self.workers = workers
        self._name = name
        self._jobs: queue.SimpleQueue[Job[T] | None] = queue.SimpleQueue()
        self._running: dict[int, Job[T]] = {}
        self._given_up: set[int] = set()
        """Calls that were given up and have not returned, by the identity of their jobs, as `_running`."""
        self._closed = threading.Event()
        for _ in range(workers):
            self._hire()
        threading.Thread(target=self._watch, name=f"{name}-watch", daemon=True).start()

    @property
    def hung(self) -> int:
        """Return how many calls were given up and have not returned."""
        return len(self._given_up)

    def submit(self, call: Callable[[], T], *, seconds: float) -> Future[T]:
        """Carry the call out; the future raises `TaskExpired` when it takes longer than `seconds`."""
        job = Job(call, seconds)
        self._jobs.put(job)
        return job.future

    def close(self) -> None:
        """Let the threads end as soon as they are idle; those that hang end with the process."""
        self._closed.set()
        for _ in range(self.workers):
            self._jobs.put(None)

    def _hire(self) -> None:
        threading.Thread(target=self._work, name=self._name, daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _THIS_THREAD.job = job
            job.start_clock()
            self._running[id(job)] = job
            settle = _outcome_of(job)
            # Whoever takes the job out of the table settles its future.
            if self._running.pop(id(job), None) is None:
                self._given_up.discard(id(job))
                return  # the future is settled and another thread has this place
            settle()

    def _watch(self) -> None:
        while not self._closed.wait(0.1):
            now = time.monotonic()
            for job in tuple(self._running.values()):
                if now > job.deadline:
                    self._give_up(job)

    def _give_up(self, job: Job[T]) -> None:
        self._given_up.add(id(job))
        if self._running.pop(id(job), None) is None:
            self._given_up.discard(id(job))  # it came back in this very moment
            return
        job.given_up = True
        self._hire()
        job.when_given_up()
        job.future.set_exception(TaskExpired(f"ran for more than {job.seconds:g} s"))


def _outcome_of(job: Job[T]) -> Callable[[], None]:
    """Make the call, and return what settles its future."""
    try:
        result = job.call()
    except BaseException as err:  # noqa: BLE001 - it travels to whoever waits for the future
        return partial(job.future.set_exception, err)
    return partial(job.future.set_result, result)

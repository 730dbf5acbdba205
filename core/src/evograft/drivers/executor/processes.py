"""Evaluations in processes of their own: a worker that dies or hangs costs one call, not the pool."""

from __future__ import annotations

import ctypes
import functools
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Annotated, Any

from pydantic import Field

from evograft.errors import ServiceError
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, NoOptions, TaskExpired, WorkerLost

PR_SET_PDEATHSIG = 1

MOST_BROKEN = 3
"""How many pools may break one after another without a task done."""


class ProcessesOptions(NoOptions):
    """Options of the driver `processes`."""

    workers: Annotated[int, Field(strict=True, ge=1)] = Field(default_factory=lambda: os.cpu_count() or 1)
    """How many processes; the default is the number of cores."""


class ProcessesExecutor:
    """A pebble pool; each worker builds the plugins of the pipeline for itself, once."""

    Options = ProcessesOptions

    def __init__(self, options: ProcessesOptions) -> None:
        self.workers = options.workers
        self.hung = 0
        self._pool: Any = None
        self._broken_in_a_row = 0

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:  # noqa: ARG002 - the protocol's
        self._remote = remote
        self._open()

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        seconds = task.ctx.limits.wall_seconds
        try:
            running = self._pool.schedule(_evaluate, args=(task,), timeout=seconds)
        except RuntimeError:
            self._open_again()
            running = self._pool.schedule(_evaluate, args=(task,), timeout=seconds)
        answer: Future[Evaluation] = Future()
        running.add_done_callback(functools.partial(self._translate, answer=answer, seconds=seconds))
        return answer

    def _open(self) -> None:
        from pebble import ProcessPool

        # The kernel has threads, so a plain fork could copy a lock that nobody will release.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(
            max_workers=self.workers, context=context, initializer=_become_worker, initargs=(self._remote,)
        )

    def _open_again(self) -> None:
        """Pebble gives the whole pool up when a worker dies that had no task."""
        self._broken_in_a_row += 1
        if self._broken_in_a_row > MOST_BROKEN:
            raise ServiceError(
                f"worker processes keep dying before they take a task, {MOST_BROKEN} pools in a row: look at what "
                "setup_env does in a worker, at memory and at limits of the machine"
            )
        self._pool.stop()
        self._pool.join()
        self._open()

    def close(self, *, abandon: bool = False) -> None:
        if self._pool is None:
            return
        if abandon:
            self._pool.stop()
        else:
            self._pool.close()
        self._pool.join()

    def _translate(self, done: Future[Evaluation], *, answer: Future[Evaluation], seconds: float) -> None:
        """Hands a pebble future's outcome on, its exceptions in the words of the protocol."""
        from pebble import ProcessExpired

        try:
            answer.set_result(done.result())
            self._broken_in_a_row = 0
        except TimeoutError:
            answer.set_exception(TaskExpired(f"ran for more than {seconds:g} s"))
        except ProcessExpired as err:
            answer.set_exception(WorkerLost(f"worker process ended with exit code {err.exitcode}"))
        except (CancelledError, RuntimeError) as err:
            # What plugins raise comes wrapped and blamed: these are the pool's own.
            answer.set_exception(WorkerLost(f"the pool of worker processes broke: {err!r}"))
        except BaseException as err:  # noqa: BLE001 - what the plugin raised, for the kernel to judge
            answer.set_exception(err)


_WORKER: list[Evaluator | Exception] = []
"""In a worker process: what carries out tasks, or why this worker cannot."""


def _become_worker(remote: Callable[[], Evaluator]) -> None:
    """Builds the plugins before the first task, so that no task's deadline pays for it."""
    _die_with_parent()
    try:
        _WORKER.append(remote())
    except Exception as err:  # noqa: BLE001 - pebble would break the pool without a word: each task reports it instead
        _WORKER.append(err)


def _evaluate(task: EvalTask) -> Evaluation:
    (evaluate,) = _WORKER
    if isinstance(evaluate, Exception):
        raise evaluate
    return evaluate(task)


def _die_with_parent() -> None:
    """A killed kernel leaves no worker behind; the kernel alone answers Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

"""One worker process of the executor `processes`: started, asked one task at a time, ended.

Whatever ends it, with whichever exit code, closes its end of the line and so is seen at once.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from evograft_hookspecs import EvalTask, Evaluation, Evaluator, TaskExpired, WorkerLost

PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.5
"""Seconds between two looks at a worker, because a process that it left behind may hold its end of the line open."""
EXIT_SECONDS = 5.0
"""Seconds that a worker that has nothing more to do may take to end."""


class WorkerProcess:
    """A process of its own, for one thread to use."""

    def __init__(self, remote: Callable[[], Evaluator]) -> None:
        # The kernel has threads, so a plain fork could copy a lock that nobody will release.
        context = multiprocessing.get_context("spawn")
        self._line, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, remote), name="evaluate")
        self._process.start()
        other.close()

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def wait_until_ready(self) -> None:
        """Wait for the plugins to be built, so that no task's deadline pays for it.

        Raises:
            WorkerLost: the process ended before.
        """
        self._receive(float("inf"))

    def evaluate(self, task: EvalTask) -> Evaluation:
        """Carry out a task; what the plugin raises is raised here.

        Raises:
            TaskExpired: it took longer than its limit.
            WorkerLost: the process ended, whichever way.
        """
        seconds = task.ctx.limits.wall_seconds
        try:
            self._line.send(task)
        except OSError:
            raise self._lost() from None
        answer = self._receive(time.monotonic() + seconds)
        if answer is None:
            raise TaskExpired(f"ran for more than {seconds:g} s")
        result, error = answer
        if error is not None:
            raise error
        evaluation: Evaluation = result
        return evaluation

    def kill(self) -> None:
        """End the process at once. Callable from any thread."""
        self._process.kill()

    def close(self) -> None:
        """Have the process end by itself, but do not wait for long."""
        self._line.close()
        self._process.join(EXIT_SECONDS)
        self._process.kill()
        self._process.join()

    def _receive(self, deadline: float) -> tuple[Any, Exception | None] | None:
        """Return the next answer, or `None` if there is none in time."""
        while (left := deadline - time.monotonic()) > 0:
            try:
                if self._line.poll(min(left, LOOK_SECONDS)):
                    answer: tuple[Any, Exception | None] = self._line.recv()
                    return answer
            except (EOFError, OSError):
                raise self._lost() from None
            if not self._process.is_alive() and not self._line.poll():
                raise self._lost()
        return None

    def _lost(self) -> WorkerLost:
        self._process.join(EXIT_SECONDS)
        return WorkerLost(f"worker process ended with exit code {self._process.exitcode}")


def _work(line: Connection, remote: Callable[[], Evaluator]) -> None:
    """Build the plugins, say so, and answer tasks until the kernel hangs up: the life of the process."""
    _die_with_parent()
    evaluate = _build(remote)
    line.send((None, None))
    while True:
        try:
            task = line.recv()
        except EOFError:
            return
        line.send_bytes(_pack(*_carry_out(evaluate, task)))


def _build(remote: Callable[[], Evaluator]) -> Evaluator | Exception:
    try:
        return remote()
    except Exception as err:  # noqa: BLE001 - each task reports it
        return err


def _carry_out(evaluate: Evaluator | Exception, task: EvalTask) -> tuple[Evaluation | None, Exception | None]:
    if isinstance(evaluate, Exception):
        return None, evaluate
    try:
        return evaluate(task), None
    except Exception as err:  # noqa: BLE001 - what the plugin raised, for the kernel to judge
        return None, err


def _pack(result: Evaluation | None, error: Exception | None) -> bytes:
    try:
        packed = pickle.dumps((result, error))
        pickle.loads(packed)  # noqa: S301 - our own; an exception whose __init__ wants more could not be read there
    except Exception as err:  # noqa: BLE001 - pickling runs the plugin's own code
        return pickle.dumps((None, RuntimeError(f"cannot be sent from a worker process: {error or result!r}: {err!r}")))
    return packed


def _die_with_parent() -> None:
    """Make sure that a killed kernel leaves no worker behind, and that the kernel alone answers Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

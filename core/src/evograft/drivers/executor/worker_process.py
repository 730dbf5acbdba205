"""One worker process: started, asked one task at a time, ended.

Whatever ends it, with whichever exit code, closes its end of the line and so is seen at once.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from evograft.errors import RunStopping
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, TaskExpired, WorkerLost

PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 0.5
"""Seconds between two looks at a worker, because a process that it left behind may hold its end of the line open."""
EXIT_SECONDS = 5.0
"""Seconds that a worker that has nothing more to do may take to end."""
_STARTED = "started"
"""What a worker says when it has a task; it begins with it when that was heard."""
_BEGIN = "begin"
_MAIN = """\
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from evograft.drivers.executor.worker_process import run_worker
run_worker(int(sys.argv[1]))
"""
"""The program of a worker, which finds what the process that starts it finds."""


class NotStartedError(WorkerLost):
    """The worker died before it began with the task: whatever ended it, it was not the task."""


class WorkerProcess:
    """A process of its own, for one thread to use.

    It is no child of `multiprocessing`, because processes that may not have such children start it too.

    Args:
        remote: picklable; builds the plugins in the process.
        environment: of the process; `None`: that of this one.
        cores: the numbers of those that it may use; empty: all that this process may.
    """

    def __init__(
        self,
        remote: Callable[[], Evaluator],
        *,
        environment: Mapping[str, str] | None = None,
        cores: frozenset[int] = frozenset(),
    ) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this very Python with a program of ours
                (sys.executable, "-c", _MAIN, str(theirs.fileno()), json.dumps(sys.path)),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=environment,
            )
        self._line = Connection(ours.detach())
        self._send((remote, cores))

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait for the plugins to be built, so that no task's deadline pays for it.

        Raises:
            NotStartedError: the process ended before.
        """
        try:
            self._receive(float("inf"))
        except WorkerLost as loss:
            raise NotStartedError(str(loss)) from None

    def evaluate(
        self,
        task: EvalTask,
        *,
        on_start: Callable[[], None] = lambda: None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Evaluation:
        """Carry out a task; what the plugin raises is raised here.

        Args:
            task: what to evaluate.
            on_start: called just before the process begins with it, which may end both.
            is_wanted: asked now and then, whether there is still anybody to hear of the result.

        Raises:
            TaskExpired: it took longer than its limit.
            NotStartedError: the process ended before it began with the task.
            WorkerLost: it ended later, whichever way.
            RunStopping: the result is not wanted any more.
        """
        self._send(task)
        seconds = task.ctx.limits.wall_seconds
        end = time.monotonic() + seconds
        try:
            answer = self._receive(end, is_wanted)
        except WorkerLost as loss:
            raise NotStartedError(str(loss)) from None
        if answer == _STARTED:
            on_start()
            self._send(_BEGIN)
            answer = self._receive(end, is_wanted)
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
        if self._wait(EXIT_SECONDS) is None:
            self._process.kill()
            self._process.wait()

    def _send(self, message: object) -> None:
        try:
            self._line.send(message)
        except OSError:
            raise NotStartedError(str(self._lost())) from None

    def _receive(self, deadline: float, is_wanted: Callable[[], bool] = lambda: True) -> Any:
        """Return the next message, or `None` if there is none in time."""
        while (left := deadline - time.monotonic()) > 0:
            try:
                if self._line.poll(min(left, LOOK_SECONDS)):
                    return self._line.recv()
            except (EOFError, OSError):
                raise self._lost() from None
            if not self.is_alive() and not self._line.poll():
                raise self._lost()
            if not is_wanted():
                raise RunStopping("nobody waits for this evaluation any more")
        return None

    def _lost(self) -> WorkerLost:
        return WorkerLost(f"worker process ended with exit code {self._wait(EXIT_SECONDS)}")

    def _wait(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def run_worker(descriptor: int) -> None:
    """Build the plugins, say so, and answer tasks until the other end hangs up: the life of a worker process."""
    _die_with_parent()
    os.set_inheritable(descriptor, False)
    line = Connection(descriptor)
    try:
        remote, cores = line.recv()
        if cores:
            os.sched_setaffinity(0, cores)
        evaluate = _build(remote)
        line.send(None)
        while True:
            task = line.recv()
            line.send(_STARTED)
            line.recv()
            line.send_bytes(_pack(*_carry_out(evaluate, task)))
    except (EOFError, ConnectionError):
        return


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

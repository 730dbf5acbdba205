"""The sandbox as plugins see it: a few workers, started as they are needed, that any thread may use."""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from collections.abc import Collection, Mapping
from types import TracebackType
from typing import Any, Self

from evograft_hookspecs import CandidateRejected, FrozenDict, SandboxLayer
from evograft_hookspecs.values import thaw
from evograft_sandbox.functions.channel import ChannelLost
from evograft_sandbox.functions.errors import SandboxFailed
from evograft_sandbox.functions.frame import TOKEN_SIZE
from evograft_sandbox.functions.layers import LAYERS
from evograft_sandbox.functions.limits import FunctionLimits
from evograft_sandbox.functions.report import CandidateReport, find_fault
from evograft_sandbox.functions.result import FunctionResult
from evograft_sandbox.functions.static_check import MAX_SOURCE, check_source
from evograft_sandbox.functions.worker import EXIT_SECONDS, FunctionWorker, Hello, start_worker

DEFAULT_LIMITS = FunctionLimits()


class PythonSandbox:
    """Calls candidates' functions on the data sets that a loader holds ready.

    Args:
        loader: `package.module:function` or `path/to/file.py:function`; it returns a `Preload`.
        arguments: JSON data, the loader's keyword arguments.
        limits: of each candidate.
        workers: how many candidates run at a time.
        check: whether sources that `check_source` rejects are refused before they run.
        layers: the layers to raise, by name; for tests, and for hosts where one is in the way.

    Raises:
        SandboxFailed: the loader raises, or there is no such sandbox on this system.
    """

    def __init__(
        self,
        loader: str,
        arguments: Mapping[str, Any] = FrozenDict(),
        *,
        limits: FunctionLimits = DEFAULT_LIMITS,
        workers: int = 1,
        check: bool = True,
        layers: Collection[str] = LAYERS,
    ) -> None:
        if workers < 1 or not set(layers).issubset(LAYERS):
            raise ValueError(f"a sandbox has at least 1 worker, not {workers}, and its layers are among {LAYERS}")
        self._limits = limits
        self._check = check
        self._crew = WorkerPool(
            {"loader": loader, "arguments": thaw(arguments), "layers": list(layers), **limits.model_dump()}, workers
        )
        self._finalizer = weakref.finalize(self, self._crew.close)
        self._hello = self._crew.start()

    def run(self, source: str, *, function: str, dataset: str, moved: bool = False) -> FunctionResult:
        """Call the candidate's function on every item of a data set; whatever it does is in the result.

        Args:
            source: of the candidate.
            function: its name.
            dataset: one of the loader's.
            moved: whether the candidate's objects lie at other addresses than without it: values that depend on
                addresses, which no honest ones do, are likely to differ then.

        Raises:
            KeyError: there is no such data set.
            SandboxFailed: the sandbox is closed, or a worker cannot be started again.
        """
        if dataset not in self._hello.datasets:
            raise KeyError(f"there is no data set {dataset!r}, only {', '.join(self._hello.datasets) or 'none at all'}")
        items = self._hello.datasets[dataset]
        error = self._reason_to_refuse(source, function)
        if error:
            return FunctionResult.failed(error)
        token = secrets.token_bytes(TOKEN_SIZE)
        request = {"source": source, "function": function, "dataset": dataset, "moved": moved, "token": token.hex()}
        # A worker may die for reasons of its own. A candidate is to blame if it happens twice.
        report = self._ask(request, items) or self._ask(request, items)
        if report is None:
            return FunctionResult.failed("killed its sandbox worker")
        return find_fault(report, token=token, items=items, limits=self._limits)

    def layers(self) -> tuple[SandboxLayer, ...]:
        """Return every layer there could be: what it forbids, or why it is missing here."""
        return self._hello.layers

    def close(self) -> None:
        """End all workers and what runs in them; a `run` in another thread raises `SandboxFailed`."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, err: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, request: Mapping[str, Any], items: int) -> CandidateReport | None:
        """Ask a free worker; `None` if that was its end."""
        worker = self._crew.take()
        try:
            report = worker.ask(request, items=items)
        except BaseException as err:
            self._crew.drop(worker)
            if isinstance(err, ChannelLost):
                return None
            raise
        self._crew.give_back(worker)
        return report

    def _reason_to_refuse(self, source: str, function: str) -> str:
        if len(source) > MAX_SOURCE:
            return f"the source has {len(source)} characters, at most {MAX_SOURCE} are allowed"
        try:
            if self._check:
                check_source(source, modules=self._hello.modules, function=function)
        except CandidateRejected as err:
            return err.reason
        return ""


class WorkerPool:
    """The workers of one sandbox: those at work and those that are free. Apart, so that a finalizer can hold it."""

    def __init__(self, order: Mapping[str, Any], size: int) -> None:
        self._order = order
        self._size = size
        self._free: list[FunctionWorker] = []
        self._busy: list[FunctionWorker] = []
        self._starting = 0
        self._closed = False
        self._owner = os.getpid()
        self._changed = threading.Condition()

    def start(self) -> Hello:
        """Start the first worker; the others follow when they are needed."""
        worker = self.take()
        self.give_back(worker)
        return worker.hello

    def take(self) -> FunctionWorker:
        """Return a worker for one candidate, when one is free."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._free or self._count() < self._size)
            self._refuse_if_closed()
            while self._free:
                worker = self._free.pop()
                if worker.is_alive():
                    self._busy.append(worker)
                    return worker
                worker.end()
            self._starting += 1
        return self._start_one()

    def give_back(self, worker: FunctionWorker) -> None:
        with self._changed:
            if not self._closed:
                self._busy.remove(worker)
                self._free.append(worker)
                self._changed.notify()
                return
        self.drop(worker)

    def drop(self, worker: FunctionWorker) -> None:
        """End a worker that is dead or cannot be trusted; the next candidate gets a new one."""
        worker.end()
        with self._changed:
            self._busy.remove(worker)
            self._changed.notify_all()

    def close(self) -> None:
        """End all workers; in a process that was forked from the owner's, leave them to the owner."""
        if os.getpid() != self._owner:
            return
        with self._changed:
            self._closed = True
            free, busy, self._free = self._free, tuple(self._busy), []
            self._changed.notify_all()
        for worker in (*free, *busy):
            worker.hang_up()
        for worker in free:
            worker.end()
        # The line of a busy worker is closed by the thread that waits on it: the number of a descriptor that was closed
        # under a poll may be that of another file by the time the poll returns.
        with self._changed:
            self._changed.wait_for(lambda: not self._busy, EXIT_SECONDS)
        for worker in busy:
            worker.reap()

    def _start_one(self) -> FunctionWorker:
        worker: FunctionWorker | None = None
        try:
            worker = start_worker(self._order)
        finally:
            with self._changed:
                self._starting -= 1
                closed = self._closed
                if worker is not None and not closed:
                    self._busy.append(worker)
                self._changed.notify()
        if closed:
            worker.end()
        self._refuse_if_closed()
        return worker

    def _count(self) -> int:
        return len(self._free) + len(self._busy) + self._starting

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise SandboxFailed("the sandbox is closed")

"""Compiles programs and runs them over the cases of a contest."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

from evograft.errors import UserError
from evograft_ahc.judging.cases import Bench
from evograft_ahc.judging.compiler import FoundCompiler, compile_program, find_compiler
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import Program
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.judging.workers import Worker, Workers
from evograft_ahc.workspace import Workspace
from evograft_hookspecs import SandboxLimits, SandboxLost, SandboxService, SandboxSession, SandboxUnavailable

ATTEMPTS = 3
T = TypeVar("T")


class Judge:
    """Programs and the contest's own tools run in sessions that are opened once, one a core; all methods are for any thread.

    Use:
        `compile` a source, `run` the program on cases, as often as wanted; `close` at the end.

    Args:
        workspace: of the contest.
        sandbox: what a hook has as `ctx.sandbox`.
        settings: how it compiles and runs.
    """

    def __init__(self, workspace: Workspace, sandbox: SandboxService, settings: JudgeSettings) -> None:
        self._workspace = workspace
        self._sandbox = sandbox
        self._settings = settings
        self._profile = settings.resolved_profile()
        parallel = settings.parallel or len(os.sched_getaffinity(0))
        self._workers = Workers(self._open_session, parallel)
        self._threads = ThreadPoolExecutor(parallel, thread_name_prefix="ahc-case")
        self._finding = threading.Lock()

    def check(self) -> tuple[str, ...]:
        """Opens a session and looks at the compiler, at the start of a run: lines that say what is there.

        Raises:
            SandboxUnavailable: there is no sandbox.
            UserError: the compiler cannot serve the profile, or a tool of the contest is missing.
        """
        _ = self._bench
        found = self._compiler
        lines = [f"judge profile {self._profile.name}: {self._profile.compiler}, GCC {found.version}"]
        if found.missing:
            lines.append(f"not here, so that programs cannot use them: {' '.join(found.missing)}")
        return tuple(lines)

    def compile(self, source: str) -> Program:
        """Compiles a source, in a sandbox.

        Raises:
            CompileFailed: the source is at fault; as a `CandidateRejected` it may leave `evaluate` as it is.
        """
        found = self._compiler
        key = hashlib.sha256(f"{found.identity} {source}".encode()).hexdigest()
        limits = SandboxLimits(
            cpu_seconds=self._settings.compile_seconds,
            wall_seconds=3 * self._settings.compile_seconds,
            memory_mb=2048,
            output_bytes=1_000_000,
            file_mb=64,
        )
        content = self._with_worker(lambda worker: compile_program(worker, self._profile, found, source, limits=limits))
        return Program(key, content)

    def run(self, program: Program, cases: Sequence[str]) -> Iterator[CaseOutcome]:
        """Runs a program on cases, several at a time; outcomes come in the order of the cases.

        Whoever stops asking for outcomes spares the cases that have not been started.
        """
        contents = [self._input(case) for case in cases]
        running = [
            self._threads.submit(self._run_case, program, case, content)
            for case, content in zip(cases, contents, strict=True)
        ]
        return _in_order(running)

    def close(self) -> None:
        """Ends all sessions."""
        self._threads.shutdown(cancel_futures=True)
        self._workers.close()

    def _open_session(self) -> SandboxSession:
        """One with the profile's image; where sandboxes know no images, or not this one, the host's compiler may do."""
        try:
            return self._sandbox.open(image=self._profile.image, own_core=True)
        except SandboxUnavailable:
            if self._settings.image is not None:
                raise
            with contextlib.suppress(SandboxUnavailable):
                return self._sandbox.open(own_core=True)
            raise

    @property
    def _compiler(self) -> FoundCompiler:
        with self._finding:
            return self._found_compiler

    @cached_property
    def _found_compiler(self) -> FoundCompiler:
        return self._with_worker(lambda worker: find_compiler(worker, self._profile))

    @cached_property
    def _bench(self) -> Bench:
        task = self._workspace.task
        seconds = task.time_limit_seconds * self._settings.time_factor
        limits = {"memory_mb": task.memory_limit_mb, "cpu_seconds": seconds, "wall_seconds": 5 * seconds + 1}
        return Bench(
            scorer=task.scorer,
            scorer_content=self._tool(task.scorer.program),
            program_limits=SandboxLimits(**limits),
            scorer_limits=SandboxLimits(cpu_seconds=60.0, wall_seconds=120.0 + limits["wall_seconds"], memory_mb=2048),
            interactive=task.interactive,
        )

    def _tool(self, path: str) -> bytes:
        try:
            return (self._workspace.folder / path).read_bytes()
        except OSError as err:
            name = self._workspace.task.contest_id
            raise UserError(
                f"the scorer {path!r} of {name} cannot be read: {err.strerror}; evo ahc init {name}"
            ) from err

    def _input(self, case: str) -> bytes:
        try:
            return self._workspace.input(case).read_bytes()
        except OSError as err:
            raise UserError(f"the input of case {case} cannot be read: {err.strerror}") from err

    def _run_case(self, program: Program, case: str, content: bytes) -> CaseOutcome:
        return self._with_worker(lambda worker: self._bench.run(worker, program, case, content))

    def _with_worker(self, job: Callable[[Worker], T]) -> T:
        """Does a job that may be done again, should its session be lost, which is nobody's fault."""
        for _ in range(ATTEMPTS - 1):
            try:
                with self._workers.borrow() as worker:
                    return job(worker)
            except SandboxLost:
                continue
        with self._workers.borrow() as worker:
            return job(worker)


def _in_order(running: list[Future[CaseOutcome]]) -> Iterator[CaseOutcome]:
    try:
        for future in running:
            yield future.result()
    finally:
        for future in running:
            future.cancel()

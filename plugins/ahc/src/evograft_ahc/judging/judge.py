"""Compiles programs and runs them over the cases of a contest."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar, get_args

from evograft.text.i18n import Catalog
from evograft_ahc.judging.cache import JudgingCache, key_of
from evograft_ahc.judging.case_runner import TestHarness, build_harness
from evograft_ahc.judging.clock import (
    PROBE,
    Clock,
    ClockChoice,
    find_clock_problem,
    require_cpu_clock,
    wants_cpu_clock,
)
from evograft_ahc.judging.compilers import Compiler, Compilers
from evograft_ahc.judging.image import JudgingImage, find_image
from evograft_ahc.judging.languages import CPP, SourceLanguage
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import MOST_BYTES, CompiledProgram, CompileFailed
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.text.messages import Language
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import SandboxLost, SandboxService, SandboxSession
from evograft_sandbox.commands.session_pool import PooledSession, SessionPool

ATTEMPTS = 3
T = TypeVar("T")


@dataclass(frozen=True)
class JudgeFacts:
    """What authors of programs should know of the judge."""

    version: str
    """Of the compiler."""
    command: str
    libraries: tuple[str, ...]
    """Flags of those that are there next to the standard one."""
    missing: tuple[str, ...]
    """Flags of those that the contest's judge has and this one has not."""


class Judge:
    """Judges programs in sandbox sessions that are opened once, one a core; all methods may be called from any thread.

    `compile` a source, `run` the program on cases, as often as wanted, and `close` at the end. What was compiled or run
    before, in this process or in one that was killed, is taken from the workspace's cache.

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
        self._parallel = settings.parallel or len(os.sched_getaffinity(0))
        self._workers = SessionPool(self._open_session, self._parallel)
        self._threads = ThreadPoolExecutor(self._parallel, thread_name_prefix="ahc-case")
        self._cache = JudgingCache(workspace, settings)
        self._compilers = Compilers(
            self._profile,
            self._with_worker,
            settings.compiler,
            lambda mounts: sandbox.open(image=self.place.image, mounts=mounts),
        )

    def check(self, language: Language = "en", written_in: Sequence[SourceLanguage] = (CPP,)) -> tuple[str, ...]:
        """Open a session and look at compilers, at the start of a run; return lines that say what is there.

        Args:
            language: of the lines.
            written_in: the languages of programs.

        Raises:
            SandboxUnavailable: there is no sandbox.
            ContestUserError: the compiler cannot serve the profile, or a tool of the contest is missing.
        """
        _, t = self._harnesses["wall"], Catalog(language, __package__)
        lines = [line for each in dict.fromkeys(written_in) for line in self._compilers.get(each).describe(t)]
        if self._settings.clock != "wall":
            lines.append(t(self.clock_choice.code, problem=self.clock_choice.problem))
        return tuple(lines)

    def describe(self) -> JudgeFacts:
        """Return how programs are compiled here."""
        found, profile = self._compilers.cpp.found, self._profile
        flags = (flag for flag in profile.flags if not flag.startswith(("-W", "-fconstexpr")))
        return JudgeFacts(found.version, " ".join((profile.compiler, *flags)), found.libraries, found.missing)

    @cached_property
    def place(self) -> JudgingImage:
        """Where programs run; SandboxUnavailable: nowhere."""
        return find_image(self._sandbox, self._profile.image, is_named=self._settings.image is not None)

    @cached_property
    def clock_choice(self) -> ClockChoice:
        """What programs are to read as the time here and now, which callers keep to in all that is to be compared.

        Raises:
            ContestServiceError: the settings say `cpu`, and it cannot be had.
        """
        if not wants_cpu_clock(self._settings.clock, self._parallel):
            return ClockChoice("wall")
        probe = self.compile(PROBE).content
        problem = self._with_worker(partial(find_clock_problem, probe=probe))
        choice = ClockChoice("wall" if problem else "cpu", problem)
        return require_cpu_clock(choice) if self._settings.clock == "cpu" else choice

    def compile(self, source: str, language: SourceLanguage = CPP) -> CompiledProgram:
        """Compile a source, in a sandbox.

        Raises:
            CompileFailed: the source is at fault; as a `CandidateRejected` it may leave `evaluate` as it is.
        """
        size = len(source.encode())
        if size > MOST_BYTES:
            raise CompileFailed(f"the program has {size:,} bytes, and the contest site takes {MOST_BYTES:,}")
        compiler = self._compilers.get(language)
        key = key_of(compiler.identity, source)
        content, diagnostics = self._cache.find_program(key) or self._compile(key, source, compiler)
        if content is None:
            raise CompileFailed(diagnostics)
        return CompiledProgram(key, content, compiler.command)

    def run(
        self, program: CompiledProgram, cases: Sequence[str], *, clock: Clock = "wall", fresh: bool = False
    ) -> Iterator[CaseOutcome]:
        """Run a program on cases, several at a time; outcomes come in the order of the cases.

        A caller who stops asking for outcomes spares the cases that have not been started.

        Args:
            program: from `compile`.
            cases: their names; the inputs have to be there.
            clock: what it reads as the time; outcomes of one are not taken for those of the other.
            fresh: run also what was run before. Programs that run by the clock are run again after an hour anyway.

        Raises:
            ContestUserError: an input or the contest's scorer is missing.
        """
        run_case = partial(self._run_case, program, self._harnesses[clock], fresh=fresh)
        contents = [self._workspace.read_input(case) for case in cases]
        return _in_order([self._threads.submit(run_case, *each) for each in zip(cases, contents, strict=True)])

    def output_of(self, source: str, case: str) -> bytes | None:
        """Return what a program printed when it was run on a case; `None`: that is not kept, or not any more."""
        return self.printed_by(key_of(self._compilers.cpp.identity, source), case)[0]

    def printed_by(self, program: str, case: str) -> tuple[bytes | None, bytes | None]:
        """Return what a program, by its key, put to standard output and error on a case; `None`: that is not kept."""
        keys = [
            key_of(program, harness.identity, self._workspace.read_input(case)) for harness in self._harnesses.values()
        ]
        outputs, errors = map(self._cache.find_output, keys), map(self._cache.find_stderr, keys)
        return _first_kept(outputs), _first_kept(errors)

    def close(self) -> None:
        """End all sessions, with what runs in them."""
        self._workers.close()
        self._threads.shutdown(cancel_futures=True)
        self._cache.close()

    # -- sessions ------------------------------------------------------------------------------------------------------

    def _open_session(self) -> SandboxSession:
        return self._sandbox.open(image=self.place.image, mounts=self._compilers.cpp.mounts, own_core=True)

    def _with_worker(self, job: Callable[[PooledSession], T]) -> T:
        """Do a job that may be done again if its session is lost, which is nobody's fault."""
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(SandboxLost), self._workers.borrow() as worker:
                return job(worker)
        with self._workers.borrow() as worker:
            return job(worker)

    # -- compiling -----------------------------------------------------------------------------------------------------

    def _compile(self, key: str, source: str, compiler: Compiler) -> tuple[bytes | None, str]:
        try:
            content, diagnostics = compiler.compile(source, self._settings.compile_limits()), ""
        except CompileFailed as err:
            if err.limit:  # which another time need not be passed
                raise
            content, diagnostics = None, err.diagnostics
        self._cache.put_program(key, content, diagnostics=diagnostics)
        return content, diagnostics

    # -- cases ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _harnesses(self) -> dict[Clock, TestHarness]:
        clocks: tuple[Clock, ...] = get_args(Clock)
        return {clock: build_harness(self._workspace, self._settings, clock) for clock in clocks}

    def _run_case(
        self, program: CompiledProgram, harness: TestHarness, case: str, content: bytes, *, fresh: bool
    ) -> CaseOutcome:
        key = key_of(program.key, harness.identity, content)
        known = None if fresh else self._cache.find_outcome(key)
        if known is not None and not known.is_outdated(harness.program_limits.cpu_seconds, time.time()):
            return known.model_copy(update={"case": case})
        run = self._with_worker(lambda worker: harness.run(worker, program, case, content))
        outcome = run.outcome.model_copy(update={"measured_at": round(time.time(), 3)})
        if outcome.kind != "tester":  # whose failure may be mended
            self._cache.put_output(key, run.output)
            self._cache.put_stderr(key, run.stderr)
            self._cache.put_outcome(key, outcome)
        return outcome


def _first_kept(printed: Iterable[bytes | None]) -> bytes | None:
    return next((each for each in printed if each is not None), None)


def _in_order(running: list[Future[CaseOutcome]]) -> Iterator[CaseOutcome]:
    try:
        for future in running:
            yield future.result()
    finally:
        for future in running:
            future.cancel()

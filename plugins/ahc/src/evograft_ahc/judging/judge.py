"""Compiles programs and runs them over the cases of a contest."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

from evograft.text.i18n import Catalog
from evograft_ahc.files.user_file import read_bytes
from evograft_ahc.judging.cache import JudgingCache, key_of
from evograft_ahc.judging.case_runner import TestHarness, build_harness
from evograft_ahc.judging.compiler import FoundCompiler, compile_program, find_compiler
from evograft_ahc.judging.image import JudgingImage, find_image
from evograft_ahc.judging.language_compiler import LanguageCompiler
from evograft_ahc.judging.languages import CPP, SourceLanguage
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.precompiled_headers import ensure_headers, header_folder, uses_headers
from evograft_ahc.judging.program import MOST_BYTES, CompiledProgram, CompileFailed
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.text.messages import Language
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import SandboxLimits, SandboxLost, SandboxService, SandboxSession
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
        parallel = settings.parallel or len(os.sched_getaffinity(0))
        self._workers = SessionPool(self._open_session, parallel)
        self._threads = ThreadPoolExecutor(parallel, thread_name_prefix="ahc-case")
        self._cache = JudgingCache(workspace, settings)
        self._finding = threading.RLock()
        self._others: dict[str, LanguageCompiler] = {}

    def check(self, language: Language = "en", written_in: Sequence[SourceLanguage] = (CPP,)) -> tuple[str, ...]:
        """Open a session and look at compilers, at the start of a run; return lines that say what is there.

        Args:
            language: of the lines.
            written_in: the languages of programs.

        Raises:
            SandboxUnavailable: there is no sandbox.
            ContestUserError: the compiler cannot serve the profile, or a tool of the contest is missing.
        """
        _, t = self._harness, Catalog(language, __package__)
        return tuple(line for each in dict.fromkeys(written_in) for line in self._describe_compiler(each, t))

    def _describe_compiler(self, language: SourceLanguage, t: Catalog) -> list[str]:
        if language != CPP:
            compiler = self._other(language)
            return [t("language", name=language.name, version=compiler.version.partition("\n")[0])]
        found = self._compiler
        lines = [t("profile", name=self._profile.name, compiler=self._profile.compiler, version=found.version)]
        if found.missing:
            lines.append(t("missing_libraries", flags=" ".join(found.missing)))
        return lines

    def describe(self) -> JudgeFacts:
        """Return how programs are compiled here."""
        found, profile = self._compiler, self._profile
        flags = (flag for flag in profile.flags if not flag.startswith(("-W", "-fconstexpr")))
        return JudgeFacts(found.version, " ".join((profile.compiler, *flags)), found.libraries, found.missing)

    @cached_property
    def place(self) -> JudgingImage:
        """Where programs run; SandboxUnavailable: nowhere."""
        return find_image(self._sandbox, self._profile.image, is_named=self._settings.image is not None)

    def compile(self, source: str, language: SourceLanguage = CPP) -> CompiledProgram:
        """Compile a source, in a sandbox.

        Raises:
            CompileFailed: the source is at fault; as a `CandidateRejected` it may leave `evaluate` as it is.
        """
        size = len(source.encode())
        if size > MOST_BYTES:
            raise CompileFailed(f"the program has {size:,} bytes, and the contest site takes {MOST_BYTES:,}")
        other = None if language == CPP else self._other(language)
        key = key_of((other or self._compiler).identity, source)
        content, diagnostics = self._cache.find_program(key) or self._compile(key, source, other)
        if content is None:
            raise CompileFailed(diagnostics)
        return CompiledProgram(key, content, other.command) if other else CompiledProgram(key, content)

    def run(self, program: CompiledProgram, cases: Sequence[str], *, fresh: bool = False) -> Iterator[CaseOutcome]:
        """Run a program on cases, several at a time; outcomes come in the order of the cases.

        A caller who stops asking for outcomes spares the cases that have not been started.

        Args:
            program: from `compile`.
            cases: their names; the inputs have to be there.
            fresh: run also what was run before.

        Raises:
            ContestUserError: an input or the contest's scorer is missing.
        """
        run_case = partial(self._run_case, program, fresh=fresh)
        contents = [self._input(case) for case in cases]
        return _in_order([self._threads.submit(run_case, *each) for each in zip(cases, contents, strict=True)])

    def output_of(self, source: str, case: str) -> bytes | None:
        """Return what a program printed when it was run on a case; `None`: that is not kept, or not any more."""
        return self.printed_by(key_of(self._compiler.identity, source), case)[0]

    def printed_by(self, program: str, case: str) -> tuple[bytes | None, bytes | None]:
        """Return what a program, by its key, put to standard output and error on a case; `None`: that is not kept."""
        key = key_of(program, self._harness.identity, self._input(case))
        return self._cache.find_output(key), self._cache.find_stderr(key)

    def output(self, program: CompiledProgram, case: str) -> bytes:
        """Return what a program prints on a case, which is run once more for it: not all outputs are kept."""
        content = self._input(case)
        return self._with_worker(lambda worker: self._harness.run(worker, program, case, content)).output

    def close(self) -> None:
        """End all sessions, with what runs in them."""
        self._workers.close()
        self._threads.shutdown(cancel_futures=True)
        self._cache.close()

    # -- sessions ------------------------------------------------------------------------------------------------------

    def _open_session(self) -> SandboxSession:
        folder = str(header_folder())
        return self._sandbox.open(image=self.place.image, mounts={folder: folder}, own_core=True)

    def _open_compiling_session(self, mounts: Mapping[str, str]) -> SandboxSession:
        return self._sandbox.open(image=self.place.image, mounts=mounts)

    def _with_worker(self, job: Callable[[PooledSession], T]) -> T:
        """Do a job that may be done again if its session is lost, which is nobody's fault."""
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(SandboxLost), self._workers.borrow() as worker:
                return job(worker)
        with self._workers.borrow() as worker:
            return job(worker)

    # -- compiling -----------------------------------------------------------------------------------------------------

    @property
    def _compiler(self) -> FoundCompiler:
        with self._finding:
            return self._found_compiler

    @cached_property
    def _found_compiler(self) -> FoundCompiler:
        return self._with_worker(partial(find_compiler, profile=self._profile))

    def _headers_for(self, source: str) -> Path | None:
        if not uses_headers(source):
            return None
        with self._finding:
            return self._headers

    @cached_property
    def _headers(self) -> Path | None:
        identity = self._compiler.identity
        return self._with_worker(partial(ensure_headers, profile=self._profile, identity=identity))

    def _other(self, language: SourceLanguage) -> LanguageCompiler:
        with self._finding:
            if language.name not in self._others:
                named = self._settings.compiler
                self._others[language.name] = LanguageCompiler(language, named, self._open_compiling_session)
            return self._others[language.name]

    def _compile(self, key: str, source: str, other: LanguageCompiler | None) -> tuple[bytes | None, str]:
        limits = self._settings.compile_limits()
        try:
            content, diagnostics = (other.compile(source, limits) if other else self._compile_cpp(source, limits)), ""
        except CompileFailed as err:
            if err.limit:  # which another time need not be passed
                raise
            content, diagnostics = None, err.diagnostics
        self._cache.put_program(key, content, diagnostics=diagnostics)
        return content, diagnostics

    def _compile_cpp(self, source: str, limits: SandboxLimits) -> bytes:
        found, headers = self._compiler, self._headers_for(source)
        return self._with_worker(
            partial(compile_program, profile=self._profile, found=found, source=source, limits=limits, headers=headers)
        )

    # -- cases ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _harness(self) -> TestHarness:
        return build_harness(self._workspace, self._settings)

    def _input(self, case: str) -> bytes:
        return read_bytes(self._workspace.input(case))

    def _run_case(self, program: CompiledProgram, case: str, content: bytes, *, fresh: bool) -> CaseOutcome:
        key = key_of(program.key, self._harness.identity, content)
        known = None if fresh else self._cache.find_outcome(key)
        if known is not None:
            return known.model_copy(update={"case": case})
        run = self._with_worker(lambda worker: self._harness.run(worker, program, case, content))
        if run.outcome.kind != "tester":  # whose failure may be mended
            self._cache.put_output(key, run.output)
            self._cache.put_stderr(key, run.stderr)
            self._cache.put_outcome(key, run.outcome)
        return run.outcome


def _in_order(running: list[Future[CaseOutcome]]) -> Iterator[CaseOutcome]:
    try:
        for future in running:
            yield future.result()
    finally:
        for future in running:
            future.cancel()

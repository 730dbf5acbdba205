"""The evaluator of a run: sessions of the sandbox, and evaluations in them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import cached_property, partial

from evograft_hookspecs import (
    Candidate,
    CommandResult,
    Evaluation,
    ForkServer,
    FrozenDict,
    SandboxCommand,
    SandboxLayer,
    SandboxLost,
    SandboxService,
    SandboxSession,
)
from evograft_program.evaluation import commands
from evograft_program.evaluation.archive import build_archive
from evograft_program.evaluation.command_results import read_result
from evograft_program.evaluation.failures import EvaluatorFailed
from evograft_program.evaluation.image import build_command_in_image, build_evaluator_image, find_mounts_of_image
from evograft_program.evaluation.interpreter import EvaluationPython
from evograft_program.evaluation.run_tool import build_run_command
from evograft_program.options import ProgramOptions
from evograft_program.task.candidates import read_start
from evograft_program.task.problem import KIND
from evograft_sandbox.commands.session_pool import SessionPool
from evograft_sandbox.image_build import BuiltImage

MOST_SESSIONS = 1024
"""More than anybody evaluates at a time; each is opened when it is first needed."""
TRIES = 2
"""A session that is lost is nobody's fault, once."""


class ProgramEvaluator:
    """Evaluates candidates for one run, in one process.

    Args:
        options: of the plugin.
        sandbox: what a hook has as `ctx.sandbox`.
        watch: is told how the command of each evaluation ended.
    """

    def __init__(
        self,
        options: ProgramOptions,
        sandbox: SandboxService,
        *,
        watch: Callable[[CommandResult], object] | None = None,
    ) -> None:
        self._options = options
        self._watch = watch
        self._sandbox = sandbox
        self._sessions = SessionPool(self._open, MOST_SESSIONS)
        self._proven: set[str] = set()
        """Evaluators that have had an answer for a program."""
        self._python = ""
        """The same in all sessions."""

    def get_layers(self) -> tuple[SandboxLayer, ...]:
        """Return what protects this machine from candidates.

        Raises:
            SandboxUnavailable: there is no sandbox here.
        """
        image = self._options.evaluator.image
        if not image:
            return self._sandbox.layers()
        self._built_image  # noqa: B018 - it is built now, if it has to be
        return self._sandbox.layers(image=image)

    def evaluate(
        self,
        candidate: Candidate,
        *,
        seed: int,
        parents_kept: Sequence[bytes] = (),
        kept_bytes: int = 0,
        clean: bool = False,
        is_final: bool = False,
    ) -> Evaluation:
        """Evaluate a candidate once.

        Args:
            candidate: the program.
            seed: of the evaluator's global random generators.
            parents_kept: what evaluations of its parents kept.
            kept_bytes: the most that this one may keep.
            clean: whether in a process that was not forked from one that evaluates others too.
            is_final: whether this is the evaluation at the end, which may have an evaluator of its own.

        Raises:
            EvaluatorFailed: the evaluator is at fault.
            SandboxLost: the sandbox ended twice.
        """
        evaluator = commands.choose_evaluator(self._options, is_final=is_final)
        evaluate = partial(self._evaluate, is_final=is_final, seed=seed, kept_bytes=kept_bytes, clean=clean)
        try:
            evaluation = evaluate(candidate, parents_kept=parents_kept)
        except EvaluatorFailed as err:
            if not self._copes_with_others(candidate, evaluate, evaluator):
                raise
            return Evaluation.rejected(f"the evaluator does not cope with it: {err.fault}", feedback=err.feedback)
        if evaluation.status == "ok":
            self._proven.add(evaluator)
        return evaluation

    def run_command(self, candidate: Candidate, line: str) -> CommandResult:
        """Run a shell line where a candidate is, with the limits of an evaluation.

        Raises:
            CandidateRejected: the candidate has a file that it may not have.
            SandboxLost: the sandbox ended twice.
        """
        files = commands.lay_out_files(candidate, self._options, ())
        return self._run(files, lambda: build_run_command(self._options, files, line, self._python))

    def close(self) -> None:
        self._sessions.close()

    def _copes_with_others(
        self, candidate: Candidate, evaluate: Callable[[Candidate], Evaluation], evaluator: str
    ) -> bool:
        """Return whether an evaluator that failed has an answer for another program, such as the start program.

        Then it is this candidate that makes it fail, on purpose or not, and the run can go on without it.
        """
        start = self._start
        if evaluator in self._proven or start is None or start.files == candidate.files:
            return evaluator in self._proven
        try:
            evaluate(start)
        except EvaluatorFailed:
            return False
        self._proven.add(evaluator)
        return True

    @cached_property
    def _start(self) -> Candidate | None:
        files = read_start(self._options.task, self._options.candidate)
        if files is None:
            return None
        return Candidate(kind=KIND, files=FrozenDict(files), operator="kernel.seed", trial=0)

    def _evaluate(
        self,
        candidate: Candidate,
        *,
        seed: int,
        parents_kept: Sequence[bytes] = (),
        kept_bytes: int,
        clean: bool,
        is_final: bool,
    ) -> Evaluation:
        token = secrets.token_hex(16)
        files = commands.lay_out_files(candidate, self._options, parents_kept)
        if self._options.evaluator.image:
            result = self._run(files, partial(self._build_command_in_image, files, seed=seed, is_final=is_final))
        else:
            request = commands.build_request(
                self._options, token=token, seed=seed, kept_bytes=kept_bytes, is_final=is_final
            )
            result = self._run(files, partial(self._build_command, files, request, clean=clean))
        if self._watch is not None:
            self._watch(result)
        # Nothing is chosen by the end's objectives, and its evaluator may know the score only.
        return read_result(result, token, self._options.without_objectives() if is_final else self._options)

    def _open(self) -> SandboxSession:
        options = self._options.evaluator
        if options.image:
            self._built_image  # noqa: B018 - it may have been removed meanwhile
            own = find_mounts_of_image(self._options)
            return self._sandbox.open(image=options.image, mounts=own, network=options.network)
        mounts = {path: path for path in (self._options.task.folder, *options.read)}
        session, self._python = EvaluationPython(options.python).open(self._sandbox, mounts, network=options.network)
        session.write({commands.ARCHIVE: build_archive()})
        return session

    def _run(self, files: commands.EvaluationFiles, build: Callable[[], SandboxCommand]) -> CommandResult:
        for left in reversed(range(TRIES)):
            try:
                with self._sessions.borrow() as worker:
                    for path, content in files.session.items():
                        worker.provide(path, content)
                    return worker.session.run(build())
            except SandboxLost:
                if not left:
                    raise
        raise AssertionError("unreachable: the last try returns or raises")

    def _build_command(self, files: commands.EvaluationFiles, request: bytes, *, clean: bool) -> SandboxCommand:
        server = self._fork_server
        return commands.build_command(self._options, files, request, server, clean=clean)

    def _build_command_in_image(self, files: commands.EvaluationFiles, *, seed: int, is_final: bool) -> SandboxCommand:
        return build_command_in_image(self._options, self._built_image, files, seed=seed, is_final=is_final)

    @cached_property
    def _built_image(self) -> BuiltImage:
        return build_evaluator_image(self._options)

    @cached_property
    def _fork_server(self) -> ForkServer:
        return commands.build_fork_server(self._options, self._python, [self._options.evaluator.path])

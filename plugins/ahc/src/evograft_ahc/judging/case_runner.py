"""One case: the program runs, then the contest's scorer, both in a session and neither with the other's files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evograft_ahc.contests.task import ContestTask, Scorer
from evograft_ahc.judging.cache import key_of
from evograft_ahc.judging.clock import LIBRARY, Clock, get_environment
from evograft_ahc.judging.languages import PROGRAM
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import CompiledProgram
from evograft_ahc.judging.settings import JudgeSettings
from evograft_ahc.judging.verdict import ProgramRun, find_own_failure, judge_run
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.folder import Workspace
from evograft_hookspecs import SandboxCommand, SandboxLimits
from evograft_sandbox.commands.native_cache import load_cpu_clock
from evograft_sandbox.commands.session_pool import PooledSession

SCORER, INPUT, OUTPUT = "scorer", "input", "output"
"""Files of a session."""
VERDICTS = "1"
"""Counts the ways in which outcomes were told: those that were told in another one are not taken from a cache."""
SCORER_SECONDS = 60.0
PATIENCE = 10
"""How many times its time limit a program has by the clock: on a busy machine it may wait long for a core."""


@dataclass(frozen=True)
class CaseRun:
    """A program's run on a case."""

    outcome: CaseOutcome
    output: bytes
    """What the program printed, or what the scorer printed that ran it: what a visualiser takes."""
    stderr: bytes
    """Of the program."""


@dataclass(frozen=True)
class TestHarness:
    """What all cases of a contest have in common."""

    scorer: Scorer
    scorer_content: bytes
    program_limits: SandboxLimits
    scorer_limits: SandboxLimits
    interactive: bool
    clock: Clock = "wall"
    """Of programs; the scorer always has the system's."""

    @cached_property
    def identity(self) -> str:
        """A hash of all that decides about an outcome next to program and input."""
        told = (self.scorer, self.program_limits, self.scorer_limits)
        return key_of(
            VERDICTS,
            self.scorer_content,
            str(self.interactive),
            *(value.model_dump_json() for value in told),
            *((self.clock,) if self.clock != "wall" else ()),
        )

    def run(self, worker: PooledSession, program: CompiledProgram, case: str, content: bytes) -> CaseRun:
        """Run a program on a case.

        Args:
            worker: whose session it runs in.
            program: what is judged.
            case: its name.
            content: the case's input.
        """
        worker.provide(PROGRAM, program.content)
        worker.provide(SCORER, self.scorer_content)
        if self.clock == "cpu":
            worker.provide(LIBRARY, load_cpu_clock())
        worker.provide(INPUT, content)
        return (self._run_beside if self.interactive else self._run_before)(worker, program.command, case, content)

    def _run_before(self, worker: PooledSession, command: tuple[str, ...], case: str, content: bytes) -> CaseRun:
        """Run the scorer on what the program has printed, when nothing of the program runs any more."""
        run = ProgramRun(case, worker.session.run(self._program(command, stdin=content)))
        output, stderr = run.result.stdout, run.result.stderr
        failure = find_own_failure(run, seconds=self.program_limits.cpu_seconds)
        if failure is not None:
            return CaseRun(failure, output, stderr)
        worker.provide(OUTPUT, output)
        said = worker.session.run(self._scorer(content, {INPUT: INPUT, OUTPUT: OUTPUT}))
        return CaseRun(judge_run(run, said, self.scorer), output, stderr)

    def _run_beside(self, worker: PooledSession, command: tuple[str, ...], case: str, content: bytes) -> CaseRun:
        """Let the scorer start the program and talk to it; the program never sees the input."""
        program, said = worker.session.run_interactive(
            self._program(command), self._scorer(content, {INPUT: INPUT}), spawned_by_interactor=True
        )
        run = ProgramRun(case, program, beside=said)
        failure = find_own_failure(run, seconds=self.program_limits.cpu_seconds) if run.was_started else None
        return CaseRun(failure or judge_run(run, said, self.scorer), said.stdout, program.stderr)

    def _program(self, command: tuple[str, ...], *, stdin: bytes = b"") -> SandboxCommand:
        library = {LIBRARY: LIBRARY} if self.clock == "cpu" else {}
        return SandboxCommand(
            arguments=command,
            stdin=stdin,
            environment=get_environment(self.clock),
            inputs={PROGRAM: PROGRAM, **library},
            limits=self.program_limits,
        )

    def _scorer(self, content: bytes, files: dict[str, str]) -> SandboxCommand:
        places = {"{input}": INPUT, "{output}": OUTPUT, "{candidate}": "./candidate"}
        return SandboxCommand(
            arguments=(f"./{SCORER}", *(_filled(argument, places) for argument in self.scorer.arguments)),
            stdin=content if self.scorer.stdin == "input" else b"",
            inputs={SCORER: SCORER, **files},
            limits=self.scorer_limits,
        )


def _filled(argument: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        argument = argument.replace(name, value)
    return argument


def build_harness(workspace: Workspace, settings: JudgeSettings, clock: Clock = "wall") -> TestHarness:
    """Build what a workspace says about its cases.

    Raises:
        ContestUserError: the contest's scorer is not there.
    """
    task = workspace.task
    limits = _program_limits(task, settings)
    return TestHarness(
        scorer=task.scorer,
        scorer_content=_scorer(workspace),
        program_limits=limits,
        scorer_limits=SandboxLimits(
            cpu_seconds=SCORER_SECONDS, wall_seconds=limits.wall_seconds + 3 * SCORER_SECONDS, memory_mb=2048
        ),
        interactive=task.interactive,
        clock=clock,
    )


def _program_limits(task: ContestTask, settings: JudgeSettings) -> SandboxLimits:
    seconds = task.time_limit_seconds * settings.time_factor
    return SandboxLimits(
        cpu_seconds=seconds,
        idle_seconds=seconds,
        wall_seconds=PATIENCE * max(seconds, settings.case_seconds),
        memory_mb=task.memory_limit_mb,
        file_mb=64,
    )


def _scorer(workspace: Workspace) -> bytes:
    scorer = workspace.task.scorer
    try:
        return workspace.program(scorer).read_bytes()
    except OSError as err:
        contest = workspace.task.contest_id
        raise ContestUserError(
            f"the scorer {scorer.program!r} of {contest} cannot be read: {err.strerror}; build the tools with: evo "
            f"ahc init {contest}",
            ja=f"{contest} の採点プログラム {scorer.program!r} が読めません: {err.strerror}。evo ahc init "
            f"{contest} でビルドしてください",
        ) from err

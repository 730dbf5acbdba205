"""One case: the program runs, then the contest's scorer, both in a session and neither together with the other's files."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import Program
from evograft_ahc.judging.verdict import judged, not_started, own_failure
from evograft_ahc.judging.workers import Worker
from evograft_ahc.task import Scorer
from evograft_hookspecs import SandboxCommand, SandboxLimits

PROGRAM, SCORER, INPUT, OUTPUT = "program", "scorer", "input", "output"
"""Files of a session."""


@dataclass(frozen=True)
class Bench:
    """What all cases of a contest have in common."""

    scorer: Scorer
    scorer_content: bytes
    program_limits: SandboxLimits
    scorer_limits: SandboxLimits
    interactive: bool

    def run(self, worker: Worker, program: Program, case: str, content: bytes) -> CaseOutcome:
        """Runs a program on a case.

        Args:
            worker: whose session it runs in.
            program: what is judged.
            case: its name.
            content: the case's input.
        """
        worker.provide(PROGRAM, program.content)
        worker.provide(SCORER, self.scorer_content)
        worker.provide(INPUT, content)
        return (self._run_beside if self.interactive else self._run_before)(worker, case, content)

    def _run_before(self, worker: Worker, case: str, content: bytes) -> CaseOutcome:
        """The scorer sees what the program has printed, when nothing of the program runs any more."""
        program = worker.session.run(self._program(stdin=content))
        failure = own_failure(case, program)
        if failure is not None:
            return failure
        worker.provide(OUTPUT, program.stdout)
        judge = worker.session.run(self._scorer(content, {INPUT: INPUT, OUTPUT: OUTPUT}))
        return judged(case, program, judge, self.scorer)

    def _run_beside(self, worker: Worker, case: str, content: bytes) -> CaseOutcome:
        """The scorer starts the program and talks to it; the program never sees the input."""
        program, judge = worker.session.run_pair(self._program(), self._scorer(content, {INPUT: INPUT}), launched=True)
        if program.wall_seconds == 0:
            return not_started(case, program, judge)
        return own_failure(case, program, judge_may_end_it=True) or judged(case, program, judge, self.scorer)

    def _program(self, *, stdin: bytes = b"") -> SandboxCommand:
        return SandboxCommand(
            arguments=(f"./{PROGRAM}",), stdin=stdin, sees={PROGRAM: PROGRAM}, limits=self.program_limits
        )

    def _scorer(self, content: bytes, files: dict[str, str]) -> SandboxCommand:
        places = {"{input}": INPUT, "{output}": OUTPUT, "{candidate}": "./candidate"}
        return SandboxCommand(
            arguments=(f"./{SCORER}", *(_filled(argument, places) for argument in self.scorer.arguments)),
            stdin=content if self.scorer.stdin == "input" else b"",
            sees={SCORER: SCORER, **files},
            limits=self.scorer_limits,
        )


def _filled(argument: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        argument = argument.replace(name, value)
    return argument

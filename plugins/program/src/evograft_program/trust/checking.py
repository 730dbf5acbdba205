"""The check of an evaluator before money is spent: what it gives to the start program, and to what nobody wants."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from statistics import median

from evograft.api import UserError
from evograft_hookspecs import Candidate, CommandResult, Evaluation, FrozenDict, SandboxService
from evograft_hookspecs.types import SINGLE_FILE
from evograft_program.evaluation.evaluator import ProgramEvaluator
from evograft_program.evaluation.failures import EvaluatorFailed
from evograft_program.options import ProgramOptions
from evograft_program.task.candidates import read_start
from evograft_program.trust.number_replacement import MARK
from evograft_program.trust.unwanted import UnwantedProgram, list_unwanted

TIMES = 5
"""Evaluations of the start program with different seeds."""
SHORTEST = 3.0
PATIENCE = 5.0
"""How much longer than the start program others may take; an endless loop is not waited for any longer."""
KEPT_BYTES = 1000


@dataclass(frozen=True)
class StartCheck:
    """The start program's evaluations."""

    evaluations: tuple[Evaluation, ...]
    """With different seeds; then once more with the first one's. Those up to the first that failed."""
    seconds: float
    """Wall seconds of one, the median."""
    memory_mb: float
    """The most of one."""

    @property
    def failure(self) -> Evaluation | None:
        return next((each for each in self.evaluations if each.status != "ok"), None)

    @property
    def scores(self) -> list[float]:
        """Those with different seeds."""
        return [each.score for each in self.evaluations[:TIMES] if each.score is not None]

    @property
    def is_repeatable(self) -> bool:
        """Whether the same seed gave the same score."""
        return len(self.evaluations) <= TIMES or self.evaluations[0].score == self.evaluations[TIMES].score


@dataclass(frozen=True)
class UnwantedCheck:
    """What a program that nobody wants was given."""

    program: UnwantedProgram
    evaluation: Evaluation
    seconds: float
    is_itself: bool = True
    """Whether it is what its name says: where no number was replaced, it is the start program."""

    @property
    def score(self) -> float | None:
        return self.evaluation.score if self.is_itself else None


@dataclass(frozen=True)
class EvaluatorCheck:
    """Everything that was found out about an evaluator."""

    options: ProgramOptions
    start: StartCheck | None
    """`None`: there is no start program."""
    unwanted: tuple[UnwantedCheck, ...]
    trials: int | None
    """How many the run would have; `None`: its budget does not say."""
    jobs: int
    """Evaluations at a time."""


def check_evaluator(
    options: ProgramOptions,
    sandbox: SandboxService,
    *,
    trials: int | None = None,
    jobs: int = 0,
    say: Callable[[str], object] = lambda _: None,
) -> EvaluatorCheck:
    """Evaluate the start program several times, then programs that nobody wants.

    Args:
        options: with the folder of the task's copy.
        sandbox: a run's, or one of its own.
        trials: of the run that is thought of, for what it will take.
        jobs: evaluations at a time; 0: the number of cores.
        say: is told what comes next, and how long it may take.

    Raises:
        UserError: the evaluator is at fault, whatever the program.
        SandboxUnavailable: there is no sandbox here.
    """
    files = read_start(options.task, options.candidate)
    start: StartCheck | None = None
    unwanted: tuple[UnwantedCheck, ...] = ()
    try:
        if files is not None:
            say(f"checking: {TIMES + 1} evaluations of your program, each at most {options.limits.seconds:g} s")
            start = _check_start(options, sandbox, files)
        if start is None or start.failure is None:
            hasty, programs = _limit(options, start), list_unwanted(files or {SINGLE_FILE: ""}, options.candidate)
            say(f"checking: {len(programs)} programs that nobody wants, each at most {hasty.limits.seconds:.3g} s")
            unwanted = _check_unwanted(hasty, sandbox, programs)
    except EvaluatorFailed as err:
        raise UserError(str(err)) from err
    return EvaluatorCheck(options, start, unwanted, trials, jobs or os.cpu_count() or 1)


def _check_start(options: ProgramOptions, sandbox: SandboxService, files: Mapping[str, str]) -> StartCheck:
    results: list[CommandResult] = []
    evaluations: list[Evaluation] = []
    with closing(ProgramEvaluator(options, sandbox, watch=results.append)) as evaluator:
        for seed in (*range(TIMES), 0):
            evaluations.append(evaluator.evaluate(_candidate(files), seed=seed))
            if evaluations[-1].status != "ok":
                break
    seconds = median(each.wall_seconds for each in results)
    return StartCheck(tuple(evaluations), seconds, max(each.peak_memory_mb for each in results))


def _limit(options: ProgramOptions, start: StartCheck | None) -> ProgramOptions:
    """Return the options with a time limit for programs that nobody waits for."""
    longest = max(SHORTEST, PATIENCE * start.seconds) if start else SHORTEST
    limits = options.limits.model_copy(update={"seconds": min(options.limits.seconds, longest)})
    return options.model_copy(update={"limits": limits})


def _check_unwanted(
    options: ProgramOptions, sandbox: SandboxService, programs: Iterable[UnwantedProgram]
) -> tuple[UnwantedCheck, ...]:
    with closing(ProgramEvaluator(options, sandbox)) as evaluator:
        return tuple(_check_one(evaluator, program) for program in programs)


def _check_one(evaluator: ProgramEvaluator, program: UnwantedProgram) -> UnwantedCheck:
    try:
        evaluation = evaluator.evaluate(_candidate(program.files), seed=0, kept_bytes=KEPT_BYTES)
    except EvaluatorFailed as err:  # with this program only: it did well with the start program
        evaluation = Evaluation.rejected(str(err))
    is_marked = MARK in evaluation.feedback or MARK.encode() in evaluation.kept
    is_itself = evaluation.status != "ok" or is_marked or not program.replaces_numbers
    return UnwantedCheck(program, evaluation, evaluation.durations.get("evaluating", 0.0), is_itself)


def _candidate(files: Mapping[str, str]) -> Candidate:
    return Candidate(kind="program", files=FrozenDict(files), operator="kernel.seed", trial=0)

"""Where candidates are judged: a workspace, its judge, and how its cases count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evograft.text.i18n import Catalog
from evograft_ahc.judging.clock import Clock
from evograft_ahc.judging.judge import Judge
from evograft_ahc.judging.messages import describe_layers
from evograft_ahc.judging.outcome import CaseOutcome
from evograft_ahc.judging.program import CompiledProgram, CompileFailed
from evograft_ahc.options import AhcOptions, RacingOptions
from evograft_ahc.reporting.visualiser import draw_answer
from evograft_ahc.scoring.best_scores import compute_gain
from evograft_ahc.scoring.case_details import add_case_details
from evograft_ahc.scoring.evaluation import build_evaluation, reject_uncompiled
from evograft_ahc.scoring.feedback import WORST
from evograft_ahc.scoring.final import build_final_evaluation
from evograft_ahc.scoring.racing.audit import is_audited
from evograft_ahc.scoring.racing.race import RaceResult, RacingRules, race
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References, Scores, collect_scores
from evograft_ahc.scoring.scale import ScoreScale
from evograft_ahc.scoring.stages import COMPILING, JUDGING, Stopwatch
from evograft_ahc.scoring.timing import STEPS, compute_time_used
from evograft_ahc.text.messages import ContestServiceError
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.inputs import get_case_name
from evograft_ahc.workspace.opening import open_workspace, require_inputs
from evograft_hookspecs import Candidate, Evaluation, SandboxService, SandboxUnavailable

if TYPE_CHECKING:
    from evograft_ahc.reasoning.prompts.observations import JudgedCases

NOISE_CASES = 5
"""That a start program is run on once more."""


class ContestEvaluator:
    """Judges programs for one run, in one process.

    Args:
        options: of the plugin.
        sandbox: what a hook has as `ctx.sandbox`.
    """

    def __init__(self, options: AhcOptions, sandbox: SandboxService) -> None:
        self._options = options
        self._sandbox = sandbox

    @cached_property
    def workspace(self) -> Workspace:
        """That of the options, or one for a contest to practise on, made when it is first asked for."""
        return open_workspace(self._options.workspace, self._options.contest, language=self._options.language)

    @property
    def statement(self) -> Path:
        """The statement that is read, Markdown."""
        named = self._options.problem_file
        return self.workspace.folder / named if named else self.workspace.statement

    @property
    def training(self) -> tuple[str, ...]:
        """The cases that the search may know."""
        return tuple(map(get_case_name, range(self._options.training_cases)))

    @property
    def held_out(self) -> tuple[str, ...]:
        """The cases of the final judgement, which no choice depends on."""
        first = self._options.training_cases
        return tuple(map(get_case_name, range(first, first + self._options.held_out_cases)))

    def prepare(self) -> tuple[str, ...]:
        """Ensure inputs, sandbox and compiler before anything is searched; return lines that say what is there.

        Raises:
            ContestUserError: the contest is not known to be over, or there are fewer inputs than cases.
            ContestServiceError: no sandbox, or none that compiles.
        """
        require_inputs(self.workspace, self.statement, len(self.training) + len(self.held_out))
        language = self._options.language
        t = Catalog(language, "evograft_ahc.judging")
        try:
            lines = (*describe_layers(self._judge.place.layers, t), *self._judge.check(language))
        except SandboxUnavailable as err:
            raise ContestServiceError(
                f"programs cannot be judged: {err}", ja=f"プログラムを評価できません: {err}"
            ) from err
        return (t("workspace", folder=self.workspace.folder), *lines)

    @property
    def clock(self) -> Clock:
        """What programs of a run that begins now are to read as the time."""
        return self._judge.clock_choice.clock

    def scores(self, source: str, cases: Sequence[str], clock: Clock) -> Scores:
        """Return what a program scores by a clock; cases that it fails are missing.

        Raises:
            CompileFailed: the source is at fault.
        """
        return collect_scores(self.judge_cases(source, cases, clock))

    def judge_cases(self, source: str, cases: Sequence[str], clock: Clock) -> tuple[CaseOutcome, ...]:
        """Return what comes of a program on cases; without cases it is only compiled.

        Raises:
            CompileFailed: the source is at fault.
        """
        return tuple(self._judge.run(self._judge.compile(source), cases, clock=clock))

    def evaluate(
        self, candidate: Candidate, incumbent: Evaluation | None, reference_frame: ReferenceFrame, *, seed: int
    ) -> Evaluation:
        """Evaluate a candidate on the training cases.

        It is run on only as many as it takes to see that it is worse than the incumbent.

        Args:
            candidate: with its source.
            incumbent: the evaluation to beat.
            reference_frame: that of the run.
            seed: of the trial.
        """
        watch = Stopwatch()
        try:
            with watch.measuring(COMPILING):
                program = self._judge.compile(candidate.source)
        except CompileFailed as err:
            return watch.with_durations(reject_uncompiled(err, language=self._options.language))
        scale = ScoreScale(self.workspace.task, reference_frame.references)
        tells_cases = self._options.feedback == "cases"
        with watch.measuring(JUDGING):
            result = self._race(program, incumbent, scale, reference_frame, seed)
        evaluation = build_evaluation(
            result.outcomes,
            scale,
            cases=len(self.training),
            source=candidate.source,
            language=self._options.language,
            ended=result.ended,
            listed=0 if tells_cases else WORST,
        )
        if result.estimate is not None:
            evaluation = evaluation.model_copy(update={"score": result.estimate})
        watch.add_waiting(result.outcomes)
        if result.audit:
            evaluation = result.audit.add_to(evaluation)
        if tells_cases:
            evaluation = add_case_details(evaluation, result.outcomes, self.workspace.task.time_limit_seconds)
        return watch.with_durations(evaluation)

    def evaluate_finally(self, candidate: Candidate, starts: Sequence[Mapping[str, str]], clock: Clock) -> Evaluation:
        """Return the honest score, on unseen cases, next to the first start program if there is one."""
        watch = Stopwatch()
        with watch.measuring(COMPILING):
            program = self._judge.compile(candidate.source)
        with watch.measuring(JUDGING):
            outcomes = tuple(self._judge.run(program, self.held_out, clock=clock))
        watch.add_waiting(outcomes)
        references = tuple(self.scores(next(iter(files.values())), self.held_out, clock) for files in starts[:1])
        scale = ScoreScale(self.workspace.task, References(programs=references))
        judgement = build_final_evaluation(outcomes, scale, source=candidate.source, language=self._options.language)
        return watch.with_durations(judgement)

    @cached_property
    def judged_cases(self) -> JudgedCases:
        """What prompts tell of the cases and their judge."""
        from evograft_ahc.reasoning.prompts.observations import JudgedCases

        is_sum = self.workspace.task.score_kind == "absolute_sum"
        return JudgedCases(
            self, self._judge.describe(), len(self.training), self._options.aim, counts="sum" if is_sum else "mean"
        )

    def input_of(self, case: str) -> bytes | None:
        """Return a case's input; `None`: its problem is interactive, and programs are not to know it."""
        return None if self.workspace.task.interactive else self.workspace.read_input(case)

    def measure_noise(self, source: str, clock: Clock) -> float | None:
        """Return the mean difference of two runs of a program on a few cases; `None`: it does not run by the clock.

        Raises:
            CompileFailed: the source is at fault.
        """
        cases, program = self.training[:NOISE_CASES], self._judge.compile(source)
        first = tuple(self._judge.run(program, cases, clock=clock))
        if compute_time_used(first, self.workspace.task.time_limit_seconds) < STEPS[-1]:
            return None
        again = collect_scores(self._judge.run(program, cases, clock=clock, fresh=True))
        gains = [
            abs(compute_gain(again[case], score, 1)) for case, score in collect_scores(first).items() if case in again
        ]
        return sum(gains) / len(gains) if gains else None

    def output_of(self, source: str, case: str) -> bytes | None:
        """Return what a program printed on a case; `None`: it is not kept."""
        return self._judge.output_of(source, case)

    def printed_by(self, source: str, case: str) -> tuple[bytes | None, bytes | None]:
        """Return standard output and error of a program that was run on a case; `None`: that is not kept."""
        return self._judge.printed_by(self._judge.compile(source).key, case)

    def draw(self, case: str, output: bytes) -> bytes | None:
        """Return what the contest's visualiser makes of an answer: an SVG file, or `None`."""
        return draw_answer(self.workspace, self._sandbox, case, output, image=self._judge.place.image)

    def close(self) -> None:
        if "_judge" in self.__dict__:
            self._judge.close()

    def _race(
        self,
        program: CompiledProgram,
        incumbent: Evaluation | None,
        scale: ScoreScale,
        frame: ReferenceFrame,
        seed: int,
    ) -> RaceResult:
        racing = self._options.racing
        rules = _build_rules(racing, frame.case_order, seed) if racing else RacingRules(seed=frame.case_order)
        return race(
            lambda cases: self._judge.run(program, cases, clock=frame.clock),
            self.training,
            incumbent if racing else None,
            scale,
            rules,
        )

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.workspace, self._sandbox, self._options.judge)


def _build_rules(options: RacingOptions, run_seed: int, trial_seed: int) -> RacingRules:
    is_own = options.order == "trial"
    return RacingRules(
        block=options.block,
        error_rate=options.error_rate,
        seed=f"{run_seed} {trial_seed}" if is_own else run_seed,
        has_own_order=is_own,
        is_audited=is_audited(trial_seed, options.audit),
    )

"""The plugin: hooks of a few lines, the work is in the rooms they import."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    Event,
    Manifest,
    Problem,
    Proposal,
    RunEnded,
    Selection,
    ToolCall,
    ToolResult,
    Trial,
    hookimpl,
)
from evograft_program.options import ProgramOptions
from evograft_program.tools import RUN
from evograft_program.tuning.operators import OPERATORS, offer_tuning, tune

if TYPE_CHECKING:
    from evograft_hookspecs import SandboxService
    from evograft_program.evaluation.evaluator import ProgramEvaluator


class ProgramPlugin:
    """Evolves programs of any kind by evaluators of any style."""

    manifest: ClassVar = Manifest(
        name="program",
        description="Any program, with any evaluator: evo evolve PROGRAM EVALUATOR.",
        contract=CONTRACT,
        kinds=("program",),
        operators=OPERATORS,
        tools=(RUN,),
        thread_safe=True,
    )
    Options: ClassVar = ProgramOptions

    def __init__(self, options: ProgramOptions) -> None:
        self.options = options
        self._evaluator: ProgramEvaluator | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        from evograft_program.evaluation.requirements import check_requirements
        from evograft_program.task.copy import describe_changes, require_whole

        evaluator = self._open(ctx.sandbox)
        if ctx.role == "worker":
            return EnvironmentReport()
        require_whole(self.options.task)
        report = check_requirements(self.options, evaluator)
        changes = describe_changes(self.options)
        return report.model_copy(update={"done": (*report.done, changes)}) if changes else report

    @hookimpl
    def analyze(self) -> Problem:
        from evograft_program.task.problem import pose_problem

        return pose_problem(self.options)

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...]:
        return offer_tuning(ctx, selection, self.options)

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        return tune(ctx, proposal, parents, self.options)

    @hookimpl
    def evaluate(
        self, ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None, parents_kept: tuple[bytes, ...]
    ) -> Evaluation:
        from evograft_program.evaluation.failures import EvaluatorFailed
        from evograft_program.trust.confirmation import evaluate_in_search
        from evograft_program.trust.final import evaluate_at_end

        trust, kept_bytes = self.options.trust, ctx.limits.kept_bytes
        evaluate = partial(self._opened.evaluate, candidate, parents_kept=parents_kept, kept_bytes=kept_bytes)
        if ctx.purpose == "final":
            return evaluate_at_end(partial(evaluate, is_final=True), trust)
        try:
            return evaluate_in_search(evaluate, trust, incumbent)
        except EvaluatorFailed as err:
            raise err.to_plugin_error() from err

    @hookimpl
    def tool_call(self, call: ToolCall) -> ToolResult:
        from evograft_program.evaluation.run_tool import run_for_agent

        return run_for_agent(call, self._opened)

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunEnded) and self._evaluator is not None:
            self._evaluator.close()

    def _open(self, sandbox: SandboxService) -> ProgramEvaluator:
        """Made here, because `evaluate` is given no sandbox."""
        from evograft_program.evaluation.evaluator import ProgramEvaluator

        with self._lock:
            if self._evaluator is None:
                self._evaluator = ProgramEvaluator(self.options, sandbox)
            return self._evaluator

    @property
    def _opened(self) -> ProgramEvaluator:
        assert self._evaluator is not None, "setup_env comes before every other hook"
        return self._evaluator

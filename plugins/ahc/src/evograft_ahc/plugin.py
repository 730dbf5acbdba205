"""The plugin: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from evograft_ahc.manifest import MANIFEST
from evograft_ahc.options import AhcOptions
from evograft_ahc.text.messages import translate_errors
from evograft_hookspecs import (
    Advice,
    Candidate,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    Event,
    Problem,
    Proposal,
    RunEnded,
    Selection,
    ToolCall,
    ToolResult,
    Trial,
    hookimpl,
)

if TYPE_CHECKING:
    from evograft_ahc.evaluator import ContestEvaluator
    from evograft_ahc.reasoning.prompts.proposals import ReasoningSetup
    from evograft_ahc.recorder import SessionRecorder
    from evograft_ahc.reporting.answer_renderer import AnswerRenderer
    from evograft_hookspecs import SandboxService


class AhcPlugin:
    """Evolves C++ programs for AtCoder Heuristic Contests that are over, and for contests to practise on."""

    manifest: ClassVar = MANIFEST
    Options: ClassVar = AhcOptions

    def __init__(self, options: AhcOptions) -> None:
        self.options = options
        self._evaluator: ContestEvaluator | None = None
        self._recorder: SessionRecorder | None = None
        self._renderer: AnswerRenderer | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        with self._speaking():
            return self._prepare(ctx)

    def _prepare(self, ctx: Context) -> EnvironmentReport:
        evaluator = self._open(ctx.sandbox)
        if ctx.role == "worker":
            return EnvironmentReport()
        from evograft_ahc.search.start_programs import find_start_programs, find_warnings

        _ = self._setup  # what is wrong with a file that the options name is said before anything is begun
        done = evaluator.prepare()
        programs = find_start_programs(evaluator.workspace, self.options.start, with_model=ctx.llm.available)
        warnings = tuple(find_warnings(programs))
        if self.options.records is not None:
            self._recorder = _recorder(evaluator, self.options)
            self._renderer = _renderer(evaluator)
        return EnvironmentReport(status="degraded" if warnings else "ready", done=done, errors=warnings)

    @hookimpl
    def analyze(self, ctx: Context) -> Problem:
        from evograft_ahc.problem import pose_problem

        with self._speaking():
            return pose_problem(ctx, self.options, self._opened, self._setup)

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal | Advice, ...] | None:
        from evograft_ahc.reasoning.prompts import proposals
        from evograft_ahc.search import operators

        cases = self._opened.judged_cases if self.options.feedback == "cases" and ctx.llm.available else None
        offered = proposals.offer_proposals(ctx, selection, self._setup, cases, agent=self.options.agent)
        return (*operators.offer_edits(ctx, selection, self.options.tuning), *offered) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        from evograft_ahc.search.operators import make_candidate

        return make_candidate(ctx, proposal, parents, self.options.tuning)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None) -> Evaluation:
        from evograft_ahc.scoring.reference_frame import ReferenceFrame

        with self._speaking():
            frame = ReferenceFrame.within(ctx.problem.analysis)
            if ctx.purpose == "final":
                return self._opened.evaluate_finally(candidate, ctx.problem.seeds, frame.clock)
            return self._opened.evaluate(candidate, incumbent, frame, seed=ctx.seed)

    @hookimpl
    def tool_call(self, ctx: Context, call: ToolCall) -> ToolResult:
        from evograft_ahc.agent.contest_tools import ContestTools

        return ContestTools(ctx, self._opened, self._setup.knowledge.blocks, self.options.language).call(call)

    @hookimpl
    def observe(self, event: Event) -> None:
        try:
            if self._recorder is not None:
                self._recorder.observe(event)
            if self._renderer is not None:
                self._renderer.observe(event)
        finally:
            if isinstance(event, RunEnded) and self._evaluator is not None:
                self._evaluator.close()

    def _speaking(self) -> AbstractContextManager[None]:
        return translate_errors(lambda: self.options.language)

    @cached_property
    def _setup(self) -> ReasoningSetup:
        from evograft_ahc.reasoning_setup import load_reasoning_setup

        return load_reasoning_setup(self.options, self._opened.workspace.task.contest_id)

    def _open(self, sandbox: SandboxService) -> ContestEvaluator:
        """Made here, because `evaluate` is given no sandbox."""
        from evograft_ahc.evaluator import ContestEvaluator

        with self._lock:
            if self._evaluator is None:
                self._evaluator = ContestEvaluator(self.options, sandbox)
            return self._evaluator

    @property
    def _opened(self) -> ContestEvaluator:
        assert self._evaluator is not None, "setup_env comes before every other hook"
        return self._evaluator


def _recorder(evaluator: ContestEvaluator, options: AhcOptions) -> SessionRecorder:
    from evograft_ahc.recorder import SessionRecorder

    assert options.records is not None, "there is none where no records are wanted"
    return SessionRecorder(
        evaluator.workspace, options.records, problem_file=str(evaluator.statement), outputs=evaluator
    )


def _renderer(evaluator: ContestEvaluator) -> AnswerRenderer:
    from evograft_ahc.reporting.answer_renderer import AnswerRenderer

    return AnswerRenderer(outputs=evaluator, draw=evaluator.draw)

"""The plugin: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from evograft_ahc.options import AhcOptions
from evograft_ahc.search.tuning.options import OPERATORS
from evograft_ahc.text.messages import speaking
from evograft_hookspecs import (
    CONTRACT,
    Advice,
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
    Trial,
    hookimpl,
)

if TYPE_CHECKING:
    from evograft_ahc.evaluator import Arena
    from evograft_ahc.reasoning.prompts.proposals import Thinking
    from evograft_ahc.recorder import Recorder
    from evograft_ahc.reporting.answer_renderer import Painter
    from evograft_ahc.settings.records import RecordOptions
    from evograft_hookspecs import SandboxService


class AhcPlugin:
    """Evolves C++ programs for AtCoder Heuristic Contests that are over, and for contests to practise on."""

    manifest: ClassVar = Manifest(
        name="ahc",
        description="AtCoder Heuristic Contests: C++ programs, judged case by case in a sandbox.",
        contract=CONTRACT,
        kinds=("cpp",),
        preset="presets/default.yaml",
        operators=OPERATORS,
        thread_safe=True,
    )
    Options: ClassVar = AhcOptions

    def __init__(self, options: AhcOptions) -> None:
        self.options = options
        self._arena: Arena | None = None
        self._recorder: Recorder | None = None
        self._painter: Painter | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        with self._speaking():
            return self._get_ready(ctx)

    def _get_ready(self, ctx: Context) -> EnvironmentReport:
        arena = self._open(ctx.sandbox)
        if ctx.role == "worker":
            return EnvironmentReport()
        from evograft_ahc.search.start_programs import find_start_programs, warnings_of

        _ = self._thinking  # what is wrong with a file that the options name is said before anything is begun
        done = arena.get_ready()
        programs = find_start_programs(arena.workspace, self.options.start, with_model=ctx.llm.available)
        warnings = tuple(warnings_of(programs))
        if self.options.records is not None:
            self._recorder = _recorder(arena, self.options.records)
            self._painter = _painter(arena)
        return EnvironmentReport(status="degraded" if warnings else "ready", done=done, errors=warnings)

    @hookimpl
    def analyze(self, ctx: Context) -> Problem:
        from evograft_ahc.problem import pose_problem

        with self._speaking():
            return pose_problem(ctx, self.options, self._opened, self._thinking)

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal | Advice, ...] | None:
        from evograft_ahc.reasoning.prompts import proposals
        from evograft_ahc.search import operators

        offered = proposals.offer(ctx, selection, self._thinking)
        return (*operators.offer(ctx, selection, self.options.tuning), *offered) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        from evograft_ahc.search.operators import make_candidate

        return make_candidate(ctx, proposal, parents, self.options.tuning)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate, incumbent: Evaluation | None) -> Evaluation:
        from evograft_ahc.scoring.reference_frame import Yardstick

        with self._speaking():
            if ctx.purpose == "final":
                return self._opened.judge_finally(candidate, ctx.problem.seeds)
            return self._opened.evaluate(candidate, incumbent, Yardstick.within(ctx.problem.analysis))

    @hookimpl
    def observe(self, event: Event) -> None:
        try:
            if self._recorder is not None:
                self._recorder.see(event)
            if self._painter is not None:
                self._painter.see(event)
        finally:
            if isinstance(event, RunEnded) and self._arena is not None:
                self._arena.close()

    def _speaking(self) -> AbstractContextManager[None]:
        return speaking(lambda: self.options.language)

    @cached_property
    def _thinking(self) -> Thinking:
        from evograft_ahc.reasoning_setup import thinking_of

        return thinking_of(self.options)

    def _open(self, sandbox: SandboxService) -> Arena:
        """Made here, since `evaluate` is given no sandbox."""
        from evograft_ahc.evaluator import Arena

        with self._lock:
            if self._arena is None:
                self._arena = Arena(self.options, sandbox)
            return self._arena

    @property
    def _opened(self) -> Arena:
        assert self._arena is not None, "setup_env comes before every other hook"
        return self._arena


def _recorder(arena: Arena, records: RecordOptions) -> Recorder:
    from evograft_ahc.recorder import Recorder

    return Recorder(arena.workspace, records, problem_file=str(arena.statement), outputs=arena)


def _painter(arena: Arena) -> Painter:
    from evograft_ahc.reporting.answer_renderer import Painter

    return Painter(outputs=arena, draw=arena.draw)

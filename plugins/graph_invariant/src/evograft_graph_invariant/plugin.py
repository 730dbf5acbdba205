"""The plugin: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, ClassVar

from evograft_graph_invariant.constrained.options import FallbackOptions
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    CandidateRejected,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    Event,
    Manifest,
    Operator,
    Problem,
    Proposal,
    RunEnded,
    RunStarted,
    Selection,
    Tool,
    ToolCall,
    ToolResult,
    Trial,
    hookimpl,
)

if TYPE_CHECKING:
    from evograft_graph_invariant.constrained.generation import Constraining
    from evograft_graph_invariant.records.options import RecordOptions
    from evograft_graph_invariant.records.recorder import Recorder
    from evograft_graph_invariant.run_context import Bench


class GraphInvariantPlugin:
    """Discovers formulas that predict a costly invariant of a graph from cheap ones."""

    manifest: ClassVar = Manifest(
        name="graph_invariant",
        description="Discovers formulas for graph invariants: data, leak checks, scoring and the final judgement.",
        contract=CONTRACT,
        kinds=("python",),
        preset="presets/default.yaml",
        operators=(
            Operator(
                name="explore", description="puts the best of thousands of parts into a formula, constants fitted"
            ),
            Operator(name="fit", description="fits the constants of a formula"),
            Operator(name="constrained", description="writes a new formula of n, m and the degrees, from a small pool"),
            Operator(name="correct", description="mends what a model has written from the pool", repairs=True),
        ),
        tools=(
            Tool(
                name="reserve_fallback",
                description="Sets money of the month aside for a call of the fallback model; the plugin asks for it itself.",
            ),
        ),
        thread_safe=True,
    )
    Options: ClassVar = GraphInvariantOptions

    def __init__(self, options: GraphInvariantOptions) -> None:
        self.options = options
        self._bench: Bench | None = None
        self._recorder: Recorder | None = None
        self._constraining: Constraining | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        if ctx.role == "worker":
            return EnvironmentReport()
        from evograft_graph_invariant.evaluation.sandbox_layers import describe_walls

        return EnvironmentReport(done=describe_walls())

    @hookimpl
    def analyze(self, ctx: Context) -> Problem:
        from evograft_graph_invariant.problem import pose_problem

        chosen = self.options.master_seed
        return pose_problem(self.options, ctx.rng.getrandbits(48) if chosen is None else chosen)

    @hookimpl
    def propose(self, ctx: Context, selection: Selection) -> tuple[Proposal, ...] | None:
        if ctx.problem is None or ctx.problem.name != self.manifest.name:
            return None
        if self.options.mode != "approximate":  # the operators' own search climbs correlations, which no bound needs
            return None
        if self.options.fallbacks is not None:
            constrained = self._constraint.offer(ctx, selection)
            if constrained is not None:
                return (constrained,)
        from evograft_graph_invariant.search.operators import offer

        parents = tuple(map(ctx.history.trial, selection.parents))
        return offer(self.options.explore, parents, with_model=ctx.llm.available) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        from evograft_graph_invariant.constrained.allowed_functions import constrained
        from evograft_graph_invariant.constrained.marks import CONSTRAINED, CORRECT
        from evograft_graph_invariant.search.operators import make_candidate

        if ctx.problem is None:
            raise CandidateRejected("there is no problem yet")
        if proposal.operator == CORRECT or (proposal.operator == CONSTRAINED and ctx.llm.available):
            return self._constraint.write(ctx, ctx.problem, proposal)
        explorer = self._bench_for(ctx.problem).explorer
        if proposal.operator == CONSTRAINED:
            return make_candidate(ctx, proposal, (), constrained(explorer))
        return make_candidate(ctx, proposal, parents, explorer)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate) -> Evaluation:
        bench = self._bench_for(ctx.problem)
        return bench.judge_finally(candidate) if ctx.purpose == "final" else bench.evaluate(candidate)

    @hookimpl
    def tool_call(self, ctx: Context, call: ToolCall) -> ToolResult:
        return self._constraint.till.reserve(ctx, call)

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunStarted) and self.options.fallbacks is not None:
            self._constraint.till.open(event)
        if self.options.records is not None:
            self._recorder_for(self.options.records).see(event)
        if isinstance(event, RunEnded) and self._bench is not None:
            self._bench.close()

    @property
    def _constraint(self) -> Constraining:
        """Made on first use, for the same reason as the others."""
        from evograft_graph_invariant.constrained.generation import Constraining
        from evograft_graph_invariant.problem import statement_without_columns

        with self._lock:
            if self._constraining is None:
                statement = statement_without_columns(self.options)
                self._constraining = Constraining(self.options.fallbacks or FallbackOptions(), statement)
            return self._constraining

    def _recorder_for(self, options: RecordOptions) -> Recorder:
        """Made on first use: it imports what reads logs."""
        if self._recorder is None:
            from evograft_graph_invariant.records.recorder import Recorder

            self._recorder = Recorder(options, self.options.fallbacks, self._bench_for)
        return self._recorder

    def _bench_for(self, problem: Problem) -> Bench:
        """Data and judges of the problem's master seed, made on first use: they import the numerical libraries."""
        master_seed = int(problem.analysis["master_seed"])
        with self._lock:
            if self._bench is None or self._bench.master_seed != master_seed:
                from evograft_graph_invariant.run_context import Bench

                self._bench = Bench(self.options, master_seed)
            return self._bench

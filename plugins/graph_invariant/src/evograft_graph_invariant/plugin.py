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
    from evograft_graph_invariant.constrained.generation import ConstrainedGeneration
    from evograft_graph_invariant.records.options import ExperimentRecordOptions
    from evograft_graph_invariant.records.recorder import ExperimentRecorder
    from evograft_graph_invariant.run_context import RunContext


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
                description="Sets money of the month aside for a call of the fallback model; "
                "the plugin asks for it itself.",
            ),
        ),
        thread_safe=True,
    )
    Options: ClassVar = GraphInvariantOptions

    def __init__(self, options: GraphInvariantOptions) -> None:
        self.options = options
        self._run_context: RunContext | None = None
        self._recorder: ExperimentRecorder | None = None
        self._constrained_generation: ConstrainedGeneration | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        if ctx.role == "worker":
            return EnvironmentReport()
        from evograft_graph_invariant.evaluation.sandbox_layers import describe_layers

        return EnvironmentReport(done=describe_layers())

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
            constrain_explorer = self._constrained.offer(ctx, selection)
            if constrain_explorer is not None:
                return (constrain_explorer,)
        from evograft_graph_invariant.search.operators import offer_proposals

        parents = tuple(map(ctx.history.trial, selection.parents))
        return offer_proposals(self.options.explore, parents, with_model=ctx.llm.available) or None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        from evograft_graph_invariant.constrained.generation import constrain_explorer
        from evograft_graph_invariant.constrained.proposal_facts import CONSTRAINED, CORRECT
        from evograft_graph_invariant.search.operators import make_candidate

        if ctx.problem is None:
            raise CandidateRejected("there is no problem yet")
        if proposal.operator == CORRECT or (proposal.operator == CONSTRAINED and ctx.llm.available):
            return self._constrained.write(ctx, ctx.problem, proposal)
        explorer = self._context_for(ctx.problem).explorer
        if proposal.operator == CONSTRAINED:
            return make_candidate(ctx, proposal, (), constrain_explorer(explorer))
        return make_candidate(ctx, proposal, parents, explorer)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate) -> Evaluation:
        context = self._context_for(ctx.problem)
        return context.evaluate_finally(candidate) if ctx.purpose == "final" else context.evaluate(candidate)

    @hookimpl
    def tool_call(self, ctx: Context, call: ToolCall) -> ToolResult:
        return self._constrained.budget.reserve(ctx, call)

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunStarted) and self.options.fallbacks is not None:
            self._constrained.budget.open(event)
        if self.options.records is not None:
            self._recorder_for(self.options.records).see(event)
        if isinstance(event, RunEnded) and self._run_context is not None:
            self._run_context.close()

    @property
    def _constrained(self) -> ConstrainedGeneration:
        """Constrained generation, made on first use for the same reason as the others."""
        from evograft_graph_invariant.constrained.generation import ConstrainedGeneration
        from evograft_graph_invariant.problem import write_statement_without_columns

        with self._lock:
            if self._constrained_generation is None:
                statement = write_statement_without_columns(self.options)
                self._constrained_generation = ConstrainedGeneration(
                    self.options.fallbacks or FallbackOptions(), statement
                )
            return self._constrained_generation

    def _recorder_for(self, options: ExperimentRecordOptions) -> ExperimentRecorder:
        """Return the recorder, made on first use: it imports what reads logs."""
        if self._recorder is None:
            from evograft_graph_invariant.records.recorder import ExperimentRecorder

            self._recorder = ExperimentRecorder(options, self.options.fallbacks, self._context_for)
        return self._recorder

    def _context_for(self, problem: Problem) -> RunContext:
        """Return data and evaluators of the master seed, made on first use: they import numerical libraries."""
        master_seed = int(problem.analysis["master_seed"])
        with self._lock:
            if self._run_context is None or self._run_context.master_seed != master_seed:
                from evograft_graph_invariant.problem import require_same_data
                from evograft_graph_invariant.run_context import RunContext

                require_same_data(problem, self.options, master_seed)
                self._run_context = RunContext(self.options, master_seed)
            return self._run_context

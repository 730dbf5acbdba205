"""The plugin `graph_conjecture`: hooks of a few lines, the work is in the modules they import."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_hookspecs import (
    CONTRACT,
    Candidate,
    Context,
    EnvironmentReport,
    EvalContext,
    Evaluation,
    Event,
    FinalEvaluated,
    Manifest,
    Operator,
    Problem,
    Proposal,
    RunStarted,
    Trial,
    TrialCommitted,
    hookimpl,
)

if TYPE_CHECKING:
    from evograft_graph_invariant.conjectures.evolution.run_context import ConjectureContext


class GraphConjecturePlugin:
    """Evolves inequalities between invariants of graphs."""

    manifest: ClassVar = Manifest(
        name="graph_conjecture",
        description="Evolves inequalities between graph invariants: refuted by the smallest graph, or scored.",
        contract=CONTRACT,
        kinds=("inequality",),
        preset="presets/conjecture.yaml",
        operators=(
            Operator(name="linear", description="fits the coefficients of a bound by a linear program"),
            Operator(name="product", description="searches products, quotients and roots of invariants for a bound"),
        ),
        thread_safe=True,
    )
    Options: ClassVar = InequalityOptions

    def __init__(self, options: InequalityOptions) -> None:
        self.options = options
        self._loaded: ConjectureContext | None = None
        self._trials: list[Trial] = []
        self._folder: Path | None = None
        self._lock = threading.Lock()

    @hookimpl
    def setup_env(self) -> EnvironmentReport:
        table = self._context.table
        return EnvironmentReport(done=(f"{len(table)} graphs with {len(table.columns)} invariants",))

    @hookimpl
    def analyze(self) -> Problem:
        from evograft_graph_invariant.conjectures.evolution.problem import pose_problem

        return pose_problem(self.options)

    @hookimpl
    def propose(self, ctx: Context) -> tuple[Proposal, ...] | None:
        if ctx.problem is None or ctx.problem.kind not in self.manifest.kinds:
            return None
        weight = self.options.weight_with_model if ctx.llm.available else self.options.weight
        names = [f"{self.manifest.name}.{operator.name}" for operator in self.manifest.operators]
        return tuple(Proposal(id=name, operator=name, weight=weight) for name in names) if weight else None

    @hookimpl
    def mutate(self, ctx: Context, proposal: Proposal, parents: tuple[Trial, ...]) -> Candidate:
        return self._context.make_candidate(ctx, proposal, parents)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate) -> Evaluation:
        return self._context.evaluate(candidate, final=ctx.purpose == "final")

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._folder = Path(event.folder)
        elif isinstance(event, TrialCommitted):
            self._trials.append(event.trial)
        elif isinstance(event, FinalEvaluated) and not event.replayed and self._folder is not None:
            from evograft_graph_invariant.conjectures.evolution.final_set import write_final_set

            write_final_set(self._context, self._trials, self._folder)

    @property
    def _context(self) -> ConjectureContext:
        """The table with what works on it, made on first use: it imports numerical libraries."""
        from evograft_graph_invariant.conjectures.evolution.run_context import ConjectureContext

        with self._lock:
            if self._loaded is None:
                self._loaded = ConjectureContext.load(self.options)
            return self._loaded

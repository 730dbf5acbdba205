"""The plugin: seven lines a hook, the work is in the modules they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from evograft_graph_invariant.options import GraphInvariantOptions
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
    RunEnded,
    hookimpl,
)

if TYPE_CHECKING:
    from evograft_graph_invariant.judge import Judge


class GraphInvariantPlugin:
    """Discovers formulas that predict a costly invariant of a graph from cheap ones."""

    manifest: ClassVar = Manifest(
        name="graph_invariant",
        description="Discovers formulas for graph invariants: data, leak checks, scoring and the final judgement.",
        contract=CONTRACT,
        kinds=("python",),
        preset="presets/default.yaml",
        thread_safe=True,
    )
    Options: ClassVar = GraphInvariantOptions

    def __init__(self, options: GraphInvariantOptions) -> None:
        self.options = options
        self._judge: Judge | None = None

    @property
    def judge(self) -> Judge:
        """Made on first use: it imports the numerical libraries."""
        if self._judge is None:
            from evograft_graph_invariant.judge import Judge

            self._judge = Judge(self.options)
        return self._judge

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport:
        return self.judge.set_up()

    @hookimpl
    def analyze(self, ctx: Context) -> Problem:
        from evograft_graph_invariant.problem import pose_problem

        chosen = self.options.master_seed
        return pose_problem(self.options, ctx.rng.getrandbits(48) if chosen is None else chosen)

    @hookimpl
    def evaluate(self, ctx: EvalContext, candidate: Candidate) -> Evaluation:
        master_seed = int(ctx.problem.analysis["master_seed"])
        if ctx.purpose == "final":
            return self.judge.judge_finally(candidate.source, master_seed)
        return self.judge.score(candidate.source, master_seed)

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, RunEnded) and self._judge is not None:
            self._judge.close()

"""The evaluation of bounds during the search: valid on every graph seen, then tight."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.auxiliary_set import AuxiliarySet
from evograft_graph_invariant.evaluation.bounds.gaps import Gaps, Side, compute_bound_score, measure_gaps
from evograft_graph_invariant.evaluation.data_splits import ATLAS
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.simplicity import simplicity_of_nodes
from evograft_hookspecs import Evaluation, FrozenDict


class BoundEvaluator:
    """The evaluator of bounds, on training and validation graphs and the atlas; what is invalid is the same as ever."""

    def __init__(self, search: SearchEvaluator, side: Side) -> None:
        self.search = search
        self.side: Side = side
        self.atlas = AuxiliarySet(ATLAS, search.tables, search.values)

    def evaluate(self, source: str) -> Evaluation:
        """Return the score that the search climbs.

        Raises:
            CandidateRejected: the candidate is invalid, which a bound that is violated is not.
        """
        program = CandidateProgram.parse(source)
        values = self.search.values.compute(program)
        validity.refuse_leaks(values, self.search.leaks)
        self.search.values.require_steadiness(program, values)
        drawn = measure_gaps(values, self.search.table.all.target, self.side)
        small = measure_gaps(self.atlas.compute(program), self.atlas.table.target, self.side)
        return self._scored(program, values, drawn, small)

    def _scored(self, program: CandidateProgram, values: Vector, drawn: Gaps, small: Gaps) -> Evaluation:
        nodes = program.ast_nodes
        seen = Gaps(np.concatenate([drawn.gap, small.gap]))
        cost = self.search.options.parsimony * nodes
        novelty = self.search.table.novelty.bonus(rank_profile(values[self.search.table.train.count :]))
        metrics = {
            "valid": float(seen.holds),
            "violated": float(seen.violated.mean()),
            "atlas_violated": float(small.violated.mean()),
            "tightness": drawn.tightness,
            "ast_nodes": float(nodes),
            "novelty": novelty,
        }
        return Evaluation(
            status="ok",
            score=compute_bound_score(seen, tightness=drawn.tightness, cost=cost),
            stage="validation",
            metrics=FrozenDict(metrics | ({"mean_gap": drawn.mean_gap} if drawn.holds else {})),
            descriptors=FrozenDict(
                {"simplicity": simplicity_of_nodes(nodes), "novelty": novelty, "ast_nodes": float(nodes)}
            ),
            feedback=_feedback(self.side, drawn, small),
        )


def _feedback(side: Side, drawn: Gaps, small: Gaps) -> str:
    if drawn.holds and small.holds:
        return f"a valid {side} bound on every graph seen, mean gap {drawn.mean_gap:.4f} of the target"
    wrong, few = int(drawn.violated.sum()), int(small.violated.sum())
    return (
        f"no {side} bound: violated, or without a value, on {wrong} of {len(drawn.gap)} random graphs and on {few} of "
        f"{len(small.gap)} graphs of at most 7 nodes"
    )

"""The evaluation during the search: on training and validation graphs, within a fraction of a millisecond."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.auxiliary_set import AuxiliarySet
from evograft_graph_invariant.evaluation.data_splits import get_weighed_sets
from evograft_graph_invariant.evaluation.disguises import DisguiseDetector, build_detector
from evograft_graph_invariant.evaluation.leaks import LeakDetector
from evograft_graph_invariant.evaluation.run_tables import RunTables
from evograft_graph_invariant.evaluation.search_values import SearchValues
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import Vector, rank_profile
from evograft_graph_invariant.scoring.feature_table import RankProfiles
from evograft_graph_invariant.scoring.objective import (
    SearchScore,
    compute_screened_score,
    compute_search_score,
    measure_correlations,
)
from evograft_graph_invariant.scoring.simplicity import Simplifier, compute_simplicity, simplicity_of_nodes
from evograft_hookspecs import Evaluation, FrozenDict

SUSPICIOUS = 0.999
"""A formula over columns is compared with forbidden quantities from this |ρ| on, a program always. Distances and
eigenvalues are no formula of other columns; other targets may be."""


class SearchEvaluator:
    """An evaluator with the training and validation data of one master seed; safe to be called from several threads."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int, simplifier: Simplifier) -> None:
        self.options = options
        self.simplifier = simplifier
        self.tables = RunTables(options, master_seed)
        self.table = self.tables.load_search_table()
        self.values = SearchValues(options, master_seed, self.table)
        self.weighed = {
            name: AuxiliarySet(spec, self.tables, self.values) for name, spec in get_weighed_sets(options).items()
        }
        self.leaks = LeakDetector(self.tables.target, self.table.all)

    @cached_property
    def disguises(self) -> DisguiseDetector:
        """What programs are compared with by rank, computed when the first of them is about to be accepted."""
        return build_detector(self.options, self.tables, self.table.all)

    def close(self) -> None:
        """End the sandboxes."""
        self.values.close()

    def evaluate(self, source: str) -> Evaluation:
        """Return the score that the search climbs.

        Raises:
            CandidateRejected: the candidate is invalid.
        """
        program = CandidateProgram.parse(source)
        values = self.values.interpret(program)
        if values is None:
            return self._evaluate_by_running(program)
        ranked = self.table.rank(values)
        train = self.table.train_correlation(ranked.train)
        if abs(train) < self.options.screen:
            return _screened(train)
        found = self._measure(values, ranked, program)
        if abs(found.validation) > SUSPICIOUS and self.tables.target.family is not None:
            validity.refuse_leaks(values, self.leaks)
        return self._scored(found, program)

    def _evaluate_by_running(self, program: CandidateProgram) -> Evaluation:
        """Most programs are run on the few training graphs only."""
        values = self.values.run_on_train(program)
        train = self.table.train_correlation(rank_profile(values))
        if abs(train) < self.options.screen:
            return _screened(train)
        values = np.concatenate([values, self.values.run(program, "validation")])
        found = self._measure(values, self.table.rank(values), program)
        validity.refuse_leaks(values, self.leaks)
        validity.refuse_disguises(values, self.disguises)
        self.values.require_steadiness(program, values)
        return self._scored(found, program)

    def _measure(self, values: Vector, ranked: RankProfiles, program: CandidateProgram) -> SearchScore:
        found = measure_correlations(values, ranked, self.table, program.formula)
        sign = math.copysign(1.0, found.validation)
        rho: dict[str, Any] = {name: sign * each.correlate(program) for name, each in self.weighed.items()}
        return replace(found, **rho)

    def _scored(self, found: SearchScore, program: CandidateProgram) -> Evaluation:
        nodes, length = program.ast_nodes, self._sympy_length(program)
        # Plain mappings are validated in half the time that frozen ones take.
        return Evaluation.model_validate(
            {
                "status": "ok",
                "score": self._score(found, nodes, length),
                "stage": "validation",
                "metrics": {
                    "train_rho": found.train,
                    "validation_rho": found.validation,
                    "worst_slice_rho": found.worst_slice,
                    "linearity": found.linearity,
                    **{f"{name}_rho": getattr(found, name) for name in self.weighed},
                    "novelty": found.novelty,
                    "ast_nodes": float(nodes),
                    "unsafe_operations": float(found.unsafe),
                    **({} if length is None else {"sympy_length": float(length)}),
                },
                "descriptors": {
                    "simplicity": simplicity_of_nodes(nodes),
                    "novelty": found.novelty,
                    "ast_nodes": float(nodes),
                },
                "feedback": self._describe(found, nodes),
            }
        )

    def _describe(self, found: SearchScore, nodes: int) -> str:
        """Say what the score comes from: of other programs, a prompt shows this alone."""
        parts = [f"validation rho {found.validation:+.4f}", f"train rho {found.train:+.4f}"]
        if self.options.objective == "robust":
            parts.append(f"worst slice {found.worst_slice:+.4f} ({self.table.slice_names[found.worst_slice_place]})")
        if self.options.objective in {"robust", "straight"}:
            parts.append(f"straightness {found.linearity:.4f}")
        if self.options.objective == "total":
            parts.append(f"novelty {found.novelty:.4f}")
        parts += [f"{name} {getattr(found, name):+.4f}" for name in self.weighed]
        counts = {"unsafe operations": found.unsafe, "steep powers": found.steep if self.options.steep_cost else 0}
        parts += [f"{count} {what}" for what, count in counts.items() if count]
        return ", ".join((*parts, f"{nodes} AST nodes"))

    def _sympy_length(self, program: CandidateProgram) -> int | None:
        """SymPy costs a hundred times what the rest does, so it is asked where the score depends on it."""
        return self.simplifier.simplify(program).length if self.options.objective == "total" else None

    def _score(self, found: SearchScore, nodes: int, length: int | None) -> float:
        if length is None:
            return compute_search_score(found, nodes, self.options)
        weights = self.options.weights
        simple = compute_simplicity(nodes, length, weights)
        return weights.total(rho=found.validation, simplicity=simple, novelty=found.novelty)


def _screened(train: float) -> Evaluation:
    return Evaluation(
        status="ok",
        score=compute_screened_score(train),
        stage="train",
        metrics=FrozenDict({"train_rho": train}),
        feedback=f"train rho {train:+.4f}: too weak to be looked at further",
    )

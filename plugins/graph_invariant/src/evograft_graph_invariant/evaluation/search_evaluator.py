"""Judges candidates during the search: on training and validation graphs, within a fraction of a millisecond."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.evaluation.forbidden_names import refuse_forbidden_names
from evograft_graph_invariant.evaluation.leaks import LeakDetector
from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.evaluation.question_order import AGAIN
from evograft_graph_invariant.formulas.interpreter import interpret
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.graphs.cache import cache_folder
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.graphs.targets import TARGETS, allowed_columns, reference_invariants
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.feature_table import RankProfiles, SearchTable, load_table
from evograft_graph_invariant.scoring.objective import (
    SearchScore,
    compute_screened_score,
    compute_search_score,
    measure_correlations,
)
from evograft_graph_invariant.scoring.simplicity import Simplifier, simplicity, simplicity_of_nodes
from evograft_hookspecs import Evaluation, FrozenDict

SUSPICIOUS = 0.999
"""A formula over columns is compared with forbidden quantities from this |ρ| on, a program always."""


class SearchEvaluator:
    """Holds the training and validation data of one master seed; safe to be called from several threads."""

    def __init__(self, options: GraphInvariantOptions, master_seed: int, simplifier: Simplifier) -> None:
        self.options = options
        self.target = TARGETS[options.target]
        self.simplifier = simplifier
        self.runner = ProgramRunner(options, master_seed, "search")
        self.second_runner = ProgramRunner(options, master_seed, "again")
        columns = allowed_columns(options.target, options.level)
        folder: Path | None = cache_folder() if options.cache else None
        train, validation = (
            load_table(spec, master_seed, self.target, columns, folder) for spec in get_search_sets(options)
        )
        references = reference_invariants(options.target)
        given_target = options.novelty == "given_target"
        self.table = SearchTable(train, validation, references, novelty_given_target=given_target)
        self.leaks = LeakDetector(self.target, self.table.all)

    def close(self) -> None:
        self.runner.close()
        self.second_runner.close()

    def evaluate(self, source: str) -> Evaluation:
        """The score that the search climbs.

        Raises:
            CandidateRejected: the candidate is invalid.
        """
        program = Program.parse(source)
        values = self._interpreted(program)
        if values is None:
            return self._evaluate_by_running(program)
        ranked = self.table.rank(values)
        train = self.table.train_correlation(ranked.train)
        if abs(train) < self.options.screen:
            return _screened(train)
        found = self._measure(values, ranked, program)
        if abs(found.validation) > SUSPICIOUS:
            validity.refuse_leaks(values, self.leaks)
        return self._scored(found, program)

    def _evaluate_by_running(self, program: Program) -> Evaluation:
        """Most programs are run on the few training graphs only."""
        values = self._run_on_train(program)
        train = self.table.train_correlation(rank_profile(values))
        if abs(train) < self.options.screen:
            return _screened(train)
        values = np.concatenate([values, self._run(program, "validation")])
        found = self._measure(values, self.table.rank(values), program)
        validity.refuse_leaks(values, self.leaks)
        self.require_steadiness(program, values)
        return self._scored(found, program)

    def _measure(self, values: Vector, ranked: RankProfiles, program: Program) -> SearchScore:
        return measure_correlations(values, ranked, self.table, program.formula)

    def values(self, program: Program) -> Vector:
        """The values on all training and validation graphs of a candidate that was accepted."""
        values = self._interpreted(program)
        if values is not None:
            return values
        return np.concatenate([self._run_on_train(program), self._run(program, "validation")])

    def require_steadiness(self, program: Program, values: Vector) -> None:
        """Runs a program that is about to be accepted a second time; a formula has no state to depend on.

        Raises:
            CandidateRejected: its values differ.
        """
        if self._interpreted(program) is not None:
            return
        names = [spec.name + AGAIN for spec in get_search_sets(self.options)]
        again = [validity.require_values(self.second_runner.run(program.source, name)) for name in names]
        validity.require_same_again(values, np.concatenate(again))

    def _interpreted(self, program: Program) -> Vector | None:
        """The values on all graphs of a formula; `None` for a program that has to be run."""
        answers = interpret(program, self.table.all.columns, self.table.all.count)
        return None if answers is None else validity.require_values(answers)

    def _run_on_train(self, program: Program) -> Vector:
        refuse_forbidden_names(program, self.options.target, self.options.level)
        return validity.require_steadiness(self._run(program, "train"), self.table.train)

    def _run(self, program: Program, dataset: str) -> Vector:
        return validity.require_values(self.runner.run(program.source, dataset))

    def _scored(self, found: SearchScore, program: Program) -> Evaluation:
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
                "feedback": f"validation rho {found.validation:+.4f}, train rho {found.train:+.4f}, {nodes} AST nodes",
            }
        )

    def _sympy_length(self, program: Program) -> int | None:
        """SymPy costs a hundred times what the rest does, so it is asked where the score depends on it."""
        return self.simplifier.simplify(program).length if self.options.objective == "total" else None

    def _score(self, found: SearchScore, nodes: int, length: int | None) -> float:
        if length is None:
            return compute_search_score(found, nodes, self.options)
        weights = self.options.weights
        simple = simplicity(nodes, length, weights)
        return weights.total(rho=found.validation, simplicity=simple, novelty=found.novelty)


def _screened(train: float) -> Evaluation:
    return Evaluation(
        status="ok",
        score=compute_screened_score(train),
        stage="train",
        metrics=FrozenDict({"train_rho": train}),
        feedback=f"train rho {train:+.4f}: too weak to be looked at further",
    )

"""The final evaluation: the best candidate on data that no choice depended on, next to the baselines."""

from __future__ import annotations

from functools import reduce

import numpy as np

from evograft_graph_invariant.baselines.fit import fit_baselines
from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.data_splits import SANITY, get_ood_sets, get_sanity_sets, get_test_sets
from evograft_graph_invariant.evaluation.final_result import FEWEST, FinalResult, SetResult, SetValues
from evograft_graph_invariant.evaluation.final_values import FinalValues
from evograft_graph_invariant.evaluation.held_out import (
    HeldOutScores,
    choose_bonus,
    measure_both_likenesses,
    measure_errors,
)
from evograft_graph_invariant.evaluation.leaks import find_leak
from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.formulas.interpreter import CandidateValues, interpret
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.scoring.calibration import fit_isotonic, fit_straight, mae, rmse
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable, join_tables


class FinalEvaluator:
    """The final evaluator, which alone builds the test and OOD sets."""

    def __init__(self, search: SearchEvaluator, master_seed: int) -> None:
        self.search = search
        self.options = search.options
        self.master_seed = master_seed
        self.runner = ProgramRunner(search.options, master_seed, "final")

    def evaluate(self, source: str) -> FinalResult:
        """Evaluate a candidate that the search accepted."""
        with np.errstate(all="ignore"):  # a formula may grow beyond all bounds on other graphs
            return self._evaluate(source)

    def _evaluate(self, source: str) -> FinalResult:
        program = CandidateProgram.parse(source)
        seen = self.search.table.all
        values = self.search.values.compute(program)
        found = FinalResult(
            program=program,
            simplified=self.search.simplifier.simplify(program),
            calibration=fit_straight(values, seen.target),
            monotone=fit_isotonic(values, seen.target),
            baselines=fit_baselines(
                seen,
                self.options.baselines,
                seed=self.master_seed,
                seconds=self.options.baseline_seconds,
                max_nodes=self.options.max_nodes + 1,
            ),
            target=self.search.tables.target.name,
        )
        split = self.search.table.train.count
        self._require_same_later(program, values[split:])
        self._add(found, "train", self.search.table.train, CandidateValues(values[:split]))
        self._add(found, "validation", self.search.table.validation, CandidateValues(values[split:]))
        self._add_test(found)
        for spec in get_ood_sets(self.options):
            table = self.search.tables.load(spec)
            self._add(found, spec.name, table, self._compute(found, spec.name, table))
        if get_sanity_sets(self.options):
            self._add_sanity(found)
        return found

    def _require_same_later(self, program: CandidateProgram, values: Vector) -> None:
        """Run a program on the validation graphs in another worker, long after the search.

        Raises:
            CandidateRejected: its values are not those of the search.
        """
        table = self.search.table.validation
        if interpret(program, table.columns, table.count) is None:
            validity.require_same_again(values, self.runner.run(program.source, "validation").values)

    def _add_test(self, found: FinalResult) -> None:
        specs = get_test_sets(self.options)
        tables = list(map(self.search.tables.load, specs))
        values = np.concatenate(
            [self._compute(found, spec.name, table).values for spec, table in zip(specs, tables, strict=True)]
        )
        table = reduce(join_tables, tables)
        self._add(found, "test", table, CandidateValues(values))
        if np.isfinite(values).sum() >= FEWEST:
            found.held_out = self._score_held_out(found, table, values)

    def _score_held_out(self, found: FinalResult, table: FeatureTable, values: Vector) -> HeldOutScores:
        answered = np.isfinite(values)
        kept, kept_values = table.of(answered), values[answered]
        predicted = found.monotone(kept_values)
        plain, given_target = measure_both_likenesses(
            kept_values, self.search.tables.get_references(kept), kept.target, seed=self.master_seed
        )
        novelty = choose_bonus(plain, given_target, self.options)
        weights = self.options.weights
        simple = found.compute_simplicity(weights)
        return HeldOutScores(
            monotone=(rmse(predicted, kept.target), mae(predicted, kept.target)),
            baseline_errors=measure_errors(found.ran, table),
            likeness=plain,
            likeness_given_target=given_target,
            novelty=novelty,
            simplicity=simple,
            total=weights.total(rho=found.sets["test"].rho, simplicity=simple, novelty=novelty),
        )

    def _add_sanity(self, found: FinalResult) -> None:
        table = self.search.tables.load(SANITY)
        values = self._compute(found, SANITY.name, table)
        self._add(found, "sanity", table, values)
        predicted = found.calibration.predict(values.values)
        found.sanity = tuple(zip(table.kinds.tolist(), table.target.tolist(), predicted.tolist(), strict=True))

    def _compute(self, found: FinalResult, name: str, table: FeatureTable) -> CandidateValues:
        return FinalValues(found.program, self.runner, found.notes).compute(name, table)

    def _add(self, found: FinalResult, name: str, table: FeatureTable, answers: CandidateValues) -> None:
        answered = np.isfinite(answers.values)
        values = answers.values[answered]
        if interpret(found.program, table.columns, table.count) is None and len(values) >= FEWEST:
            copied = find_leak(values, table.of(answered), self.search.tables.target)
            found.leaks.update({} if copied is None else {name: copied})
        found.graphs[name] = SetValues(table, answers.values)
        found.sets[name] = SetResult.measure(table, answers, found.calibration, found.ran, seed=self.master_seed)

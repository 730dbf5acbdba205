"""The judgement at the end: the best candidate on data that no choice depended on, beside the baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from evograft_graph_invariant.baselines.fit import fit_baselines
from evograft_graph_invariant.baselines.parsed_formulas import answered_rho
from evograft_graph_invariant.baselines.protocol import FittedBaseline, NotRun
from evograft_graph_invariant.evaluation import validity
from evograft_graph_invariant.evaluation.data_splits import SANITY, get_ood_sets, get_test_sets
from evograft_graph_invariant.evaluation.final_values import FinalValues
from evograft_graph_invariant.evaluation.leaks import find_leak
from evograft_graph_invariant.evaluation.program_runner import ProgramRunner
from evograft_graph_invariant.evaluation.search_evaluator import SearchEvaluator
from evograft_graph_invariant.evaluation.verdict import Score, Verdict, give_verdict
from evograft_graph_invariant.formulas.interpreter import CandidateValues, interpret
from evograft_graph_invariant.formulas.program import Program
from evograft_graph_invariant.graphs.cache import cache_folder
from evograft_graph_invariant.graphs.datasets import SetSpec
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.graphs.targets import allowed_columns, reference_invariants
from evograft_graph_invariant.scoring.correlation import (
    Calibration,
    fit_isotonic,
    fit_linear,
    mae,
    pearson,
    rmse,
    spearman,
)
from evograft_graph_invariant.scoring.feature_table import FeatureTable, get_quantities, join_tables, load_table
from evograft_graph_invariant.scoring.novelty import Likenesses, measure_likeness
from evograft_graph_invariant.scoring.simplicity import Simplified, format_formula, simplicity

FEWEST = 3
"""A correlation over fewer graphs says nothing and is given as 0."""


@dataclass(frozen=True)
class SetResult:
    """One data set's row of the table. Correlations are signed and over the graphs with a finite value."""

    graphs: int
    answered: float
    rho: float
    pearson: float
    rmse: float
    mae: float
    baselines: dict[str, Score]
    """The baselines' ρ, by heading."""


@dataclass(frozen=True)
class SetValues:
    """A data set and the candidate's value on each of its graphs."""

    table: FeatureTable
    values: Vector
    """NaN where it has none."""


@dataclass
class FinalResult:
    """Everything the report says."""

    program: Program
    simplified: Simplified
    calibration: Calibration
    monotone: Calibration
    baselines: tuple[FittedBaseline | NotRun, ...]
    target: str
    sets: dict[str, SetResult] = field(default_factory=dict)
    graphs: dict[str, SetValues] = field(default_factory=dict)
    """The graphs of each set, one by one."""
    monotone_test: tuple[float, float] = (0.0, 0.0)
    """RMSE and MAE on the test set after the monotone calibration."""
    baseline_errors: dict[str, tuple[float, float]] = field(default_factory=dict)
    """RMSE and MAE on the test set, of those that predict the target itself."""
    sanity: tuple[tuple[str, float, float], ...] = ()
    """Graph, target, prediction."""
    likeness: Likenesses = field(default_factory=Likenesses)
    """To the reference invariants."""
    likeness_given_target: Likenesses = field(default_factory=Likenesses)
    """The same of what is left of both beside the target."""
    novelty: float = 0.0
    """The bonus that the total counts: of one of the two, as the options say."""
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which the candidate failed as a whole, and why."""
    leaks: dict[str, str] = field(default_factory=dict)
    """Sets on which a program restates what may not be used, and what that is."""
    simplicity: float = 0.0
    total: float = 0.0

    @property
    def ran(self) -> tuple[FittedBaseline, ...]:
        """The baselines that there are numbers of."""
        return tuple(each for each in self.baselines if isinstance(each, FittedBaseline))

    @property
    def verdict(self) -> Verdict:
        candidate = {name: Score(row.rho, row.answered) for name, row in self.sets.items()}
        scores = {
            each.heading: {name: row.baselines[each.heading] for name, row in self.sets.items()} for each in self.ran
        }
        not_run = {each.heading: each.reason for each in self.baselines if isinstance(each, NotRun)}
        return give_verdict(candidate, self.program.ast_nodes, scores, not_run=not_run, leaks=self.leaks)

    @property
    def formula(self) -> str:
        expr = self.program.formula
        return self.program.inlined.text if expr is None else format_formula(expr)


class FinalEvaluator:
    """Builds the test and OOD sets, which nothing else does."""

    def __init__(self, search: SearchEvaluator, master_seed: int) -> None:
        self.search = search
        self.options = search.options
        self.master_seed = master_seed
        self.runner = ProgramRunner(search.options, master_seed, "final")

    def evaluate(self, source: str) -> FinalResult:
        """Judges a candidate that the search accepted."""
        with np.errstate(all="ignore"):  # a formula may grow beyond all bounds on other graphs
            return self._evaluate(source)

    def _evaluate(self, source: str) -> FinalResult:
        program = Program.parse(source)
        seen = self.search.table.all
        values = self.search.values(program)
        found = FinalResult(
            program=program,
            simplified=self.search.simplifier.simplify(program),
            calibration=fit_linear(values, seen.target),
            monotone=fit_isotonic(values, seen.target),
            baselines=self._baselines(),
            target=self.options.target,
        )
        split = self.search.table.train.count
        self._require_same_later(program, values[split:])
        self._add(found, "train", self.search.table.train, CandidateValues(values[:split]))
        self._add(found, "validation", self.search.table.validation, CandidateValues(values[split:]))
        self._add_test(found)
        for spec in get_ood_sets(self.options):
            table = self._load(spec)
            self._add(found, spec.name, table, self._answers(found, spec, table))
        self._add_sanity(found)
        return found

    def _require_same_later(self, program: Program, values: Vector) -> None:
        """Runs a program on the validation graphs in another worker, long after the search.

        Raises:
            CandidateRejected: its values are not those of the search.
        """
        table = self.search.table.validation
        if interpret(program, table.columns, table.count) is None:
            validity.require_same_again(values, self.runner.run(program.source, "validation").values)

    def _baselines(self) -> tuple[FittedBaseline | NotRun, ...]:
        options = self.options
        return fit_baselines(
            self.search.table.all,
            options.baselines,
            seed=self.master_seed,
            seconds=options.baseline_seconds,
            max_nodes=options.max_nodes + 1,
        )

    def _add_test(self, found: FinalResult) -> None:
        specs = get_test_sets(self.options)
        tables = [self._load(spec) for spec in specs]
        values = np.concatenate(
            [self._answers(found, spec, table).values for spec, table in zip(specs, tables, strict=True)]
        )
        table = reduce(join_tables, tables)
        self._add(found, "test", table, CandidateValues(values))
        answered = np.isfinite(values)
        if answered.sum() < FEWEST:
            return
        predicted, target = found.monotone.predict(values[answered]), table.target[answered]
        found.monotone_test = rmse(predicted, target), mae(predicted, target)
        for baseline in found.ran:
            if baseline.calibrated:
                predicted = baseline.predict(table.columns)
                found.baseline_errors[baseline.heading] = rmse(predicted, table.target), mae(predicted, table.target)
        references = get_quantities(table, reference_invariants(self.options.target))
        self._add_novelty(
            found, values[answered], {name: known[answered] for name, known in references.items()}, target
        )
        self._add_scores(found)

    def _add_novelty(
        self, found: FinalResult, values: Vector, references: Mapping[str, Vector], target: Vector
    ) -> None:
        found.likeness = measure_likeness(values, references, seed=self.master_seed)
        found.likeness_given_target = measure_likeness(values, references, seed=self.master_seed, given=target)
        chosen = found.likeness_given_target if self.options.novelty == "given_target" else found.likeness
        found.novelty = chosen.bonus

    def _add_scores(self, found: FinalResult) -> None:
        weights = self.options.weights
        found.simplicity = simplicity(found.program.ast_nodes, found.simplified.length, weights)
        found.total = weights.total(rho=found.sets["test"].rho, simplicity=found.simplicity, novelty=found.novelty)

    def _add_sanity(self, found: FinalResult) -> None:
        table = self._load(SANITY)
        answers = self._answers(found, SANITY, table)
        self._add(found, "sanity", table, answers)
        predicted = found.calibration.predict(answers.values)
        found.sanity = tuple(zip(table.kinds.tolist(), table.target.tolist(), predicted.tolist(), strict=True))

    def _load(self, spec: SetSpec) -> FeatureTable:
        columns = allowed_columns(self.options.target, self.options.level)
        folder = cache_folder() if self.options.cache else None
        return load_table(spec, self.master_seed, self.search.target, columns, folder)

    def _answers(self, found: FinalResult, spec: SetSpec, table: FeatureTable) -> CandidateValues:
        return FinalValues(found.program, self.runner, found.notes).compute(spec.name, table)

    def _add(self, found: FinalResult, name: str, table: FeatureTable, answers: CandidateValues) -> None:
        answered = np.isfinite(answers.values)
        values, target = answers.values[answered], table.target[answered]
        if interpret(found.program, table.columns, table.count) is None and len(values) >= FEWEST:
            copied = find_leak(values, table.of(answered), self.search.target)
            found.leaks.update({} if copied is None else {name: copied})
        enough = len(values) >= FEWEST
        predicted = found.calibration.predict(values)
        found.graphs[name] = SetValues(table, answers.values)
        found.sets[name] = SetResult(
            graphs=table.count,
            answered=answers.answered,
            rho=spearman(values, target) if enough else 0.0,
            pearson=pearson(values, target) if enough else 0.0,
            rmse=rmse(predicted, target) if enough else 0.0,
            mae=mae(predicted, target) if enough else 0.0,
            baselines={each.heading: _score(each, table) for each in found.ran},
        )


def _score(baseline: FittedBaseline, table: FeatureTable) -> Score:
    values = baseline.predict(table.columns)
    return Score(answered_rho(values, table.target), float(np.isfinite(values).mean()))

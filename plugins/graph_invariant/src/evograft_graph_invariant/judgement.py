"""The judgement at the end: the best candidate on data that no choice depended on, beside the baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from evograft_graph_invariant.baselines import Baseline, fit_baselines
from evograft_graph_invariant.cache import cache_folder
from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.datasets import SetSpec
from evograft_graph_invariant.interpreter import Answers, interpret
from evograft_graph_invariant.judge import SearchJudge
from evograft_graph_invariant.novelty import correlations, upper_bounds
from evograft_graph_invariant.program import Program
from evograft_graph_invariant.runner import ProgramRunner
from evograft_graph_invariant.scoring import Calibration, fit_isotonic, fit_linear, mae, pearson, rmse, spearman
from evograft_graph_invariant.sheet import Sheet, join, known_values, load_sheet
from evograft_graph_invariant.simplicity import Simplified, readable, simplicity
from evograft_graph_invariant.splits import SANITY, ood_sets, test_sets
from evograft_graph_invariant.targets import allowed_columns, reference_invariants
from evograft_hookspecs import CandidateRejected

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
    baselines: tuple[float, ...]
    """The baselines' ρ."""


@dataclass
class Judgement:
    """Everything the report says."""

    program: Program
    simplified: Simplified
    calibration: Calibration
    monotone: Calibration
    baselines: tuple[Baseline, ...]
    target: str
    sets: dict[str, SetResult] = field(default_factory=dict)
    monotone_test: tuple[float, float] = (0.0, 0.0)
    """RMSE and MAE on the test set after the monotone calibration."""
    baseline_errors: dict[str, tuple[float, float]] = field(default_factory=dict)
    """RMSE and MAE on the test set, of those that predict the target itself."""
    sanity: tuple[tuple[str, float, float], ...] = ()
    """Graph, target, prediction."""
    reference_rho: dict[str, float] = field(default_factory=dict)
    reference_upper: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which the candidate failed as a whole, and why."""
    simplicity: float = 0.0
    total: float = 0.0

    @property
    def novelty(self) -> float:
        return max(0.0, 1.0 - max(self.reference_rho.values(), default=1.0))

    @property
    def formula(self) -> str:
        step = self.program.formula
        return self.program.body_text if step is None else readable(step)


class FinalJudge:
    """Builds the test and OOD sets, which nothing else does."""

    def __init__(self, search: SearchJudge, master_seed: int) -> None:
        self.search = search
        self.options = search.options
        self.master_seed = master_seed
        self.runner = ProgramRunner(search.options, master_seed, "final")

    def judge(self, source: str) -> Judgement:
        """Judges a candidate that the search accepted."""
        with np.errstate(all="ignore"):  # a formula may grow beyond all bounds on other graphs
            return self._judge(source)

    def _judge(self, source: str) -> Judgement:
        program = Program.parse(source)
        seen = self.search.sheet.all
        values = self.search.values(program)
        found = Judgement(
            program=program,
            simplified=self.search.simplifier.simplify(program),
            calibration=fit_linear(values, seen.target),
            monotone=fit_isotonic(values, seen.target),
            baselines=fit_baselines(seen),
            target=self.options.target,
        )
        split = self.search.sheet.train.count
        self._add(found, "train", self.search.sheet.train, Answers(values[:split]))
        self._add(found, "validation", self.search.sheet.validation, Answers(values[split:]))
        self._add_test(found)
        for spec in ood_sets(self.options):
            sheet = self._load(spec)
            self._add(found, spec.name, sheet, self._answers(found, spec, sheet))
        self._add_sanity(found)
        return found

    def _add_test(self, found: Judgement) -> None:
        specs = test_sets(self.options)
        sheets = [self._load(spec) for spec in specs]
        values = np.concatenate(
            [self._answers(found, spec, sheet).values for spec, sheet in zip(specs, sheets, strict=True)]
        )
        sheet = reduce(join, sheets)
        self._add(found, "test", sheet, Answers(values))
        answered = np.isfinite(values)
        if answered.sum() < FEWEST:
            return
        predicted, target = found.monotone.predict(values[answered]), sheet.target[answered]
        found.monotone_test = rmse(predicted, target), mae(predicted, target)
        for baseline in found.baselines:
            if baseline.calibrated:
                predicted = baseline.predict(sheet.columns)
                found.baseline_errors[baseline.name] = rmse(predicted, sheet.target), mae(predicted, sheet.target)
        references = known_values(sheet, reference_invariants(self.options.target))
        self._add_scores(found, values[answered], {name: known[answered] for name, known in references.items()})

    def _add_scores(self, found: Judgement, values: Vector, references: Mapping[str, Vector]) -> None:
        weights = self.options.weights
        found.reference_rho = correlations(values, references)
        found.reference_upper = upper_bounds(values, references, seed=self.master_seed)
        found.simplicity = simplicity(found.program.ast_nodes, found.simplified.length, weights)
        found.total = weights.total(rho=found.sets["test"].rho, simplicity=found.simplicity, novelty=found.novelty)

    def _add_sanity(self, found: Judgement) -> None:
        sheet = self._load(SANITY)
        answers = self._answers(found, SANITY, sheet)
        self._add(found, "sanity", sheet, answers)
        predicted = found.calibration.predict(answers.values)
        found.sanity = tuple(zip(sheet.kinds.tolist(), sheet.target.tolist(), predicted.tolist(), strict=True))

    def _load(self, spec: SetSpec) -> Sheet:
        columns = allowed_columns(self.options.target, self.options.level)
        folder = cache_folder() if self.options.cache else None
        return load_sheet(spec, self.master_seed, self.search.target, columns, folder)

    def _answers(self, found: Judgement, spec: SetSpec, sheet: Sheet) -> Answers:
        """The candidate's values; none at all when a program fails as a whole on data that it had not seen."""
        answers = interpret(found.program, sheet.columns, sheet.count)
        if answers is not None:
            return answers
        try:
            return self.runner.run(found.program.source, spec.name)
        except CandidateRejected as err:
            found.notes[spec.name] = err.reason
            return Answers(np.full(sheet.count, np.nan))

    def _add(self, found: Judgement, name: str, sheet: Sheet, answers: Answers) -> None:
        answered = np.isfinite(answers.values)
        values, target = answers.values[answered], sheet.target[answered]
        enough = len(values) >= FEWEST
        predicted = found.calibration.predict(values)
        found.sets[name] = SetResult(
            graphs=sheet.count,
            answered=answers.answered,
            rho=spearman(values, target) if enough else 0.0,
            pearson=pearson(values, target) if enough else 0.0,
            rmse=rmse(predicted, target) if enough else 0.0,
            mae=mae(predicted, target) if enough else 0.0,
            baselines=tuple(spearman(baseline.predict(sheet.columns), sheet.target) for baseline in found.baselines),
        )

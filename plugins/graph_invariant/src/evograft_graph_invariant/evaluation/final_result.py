"""The result of a candidate's final evaluation, set by set and on the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from evograft_graph_invariant.baselines.parsed_formulas import compute_answered_rho
from evograft_graph_invariant.baselines.protocol import FittedBaseline, NotRun
from evograft_graph_invariant.evaluation.held_out import HeldOutScores
from evograft_graph_invariant.evaluation.predictor import write_predictor
from evograft_graph_invariant.evaluation.verdict import Score, Verdict, give_verdict
from evograft_graph_invariant.formulas.interpreter import CandidateValues
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.options import Weights
from evograft_graph_invariant.scoring.calibration import StraightCalibration, mae, median_error, rmse
from evograft_graph_invariant.scoring.correlation import Vector, pearson, spearman
from evograft_graph_invariant.scoring.feature_table import FeatureTable
from evograft_graph_invariant.scoring.intervals import Ends, estimate_rho_interval
from evograft_graph_invariant.scoring.simplicity import Simplified, compute_simplicity, format_formula

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
    median_error: float
    """The median of the absolute errors, each as a share of the target."""
    interval: Ends | None
    """The 95 % interval of ρ; `None` of few graphs."""
    baselines: dict[str, Score]
    """The baselines' ρ, by heading."""

    @classmethod
    def measure(
        cls,
        table: FeatureTable,
        found: CandidateValues,
        calibration: StraightCalibration,
        baselines: Iterable[FittedBaseline],
        *,
        seed: int,
    ) -> Self:
        """Return the row of a data set; the seed is of the resamples."""
        answered = np.isfinite(found.values)
        values, target = found.values[answered], table.target[answered]
        enough = len(values) >= FEWEST
        predicted = calibration.predict(values)
        return cls(
            graphs=table.count,
            answered=found.answered,
            rho=spearman(values, target) if enough else 0.0,
            pearson=pearson(values, target) if enough else 0.0,
            rmse=rmse(predicted, target) if enough else 0.0,
            mae=mae(predicted, target) if enough else 0.0,
            median_error=median_error(predicted, target) if enough else 0.0,
            interval=estimate_rho_interval(values, target, seed=seed),
            baselines={each.heading: _score(each, table) for each in baselines},
        )


@dataclass(frozen=True)
class SetValues:
    """A data set and the candidate's value on each of its graphs."""

    table: FeatureTable
    values: Vector
    """NaN where it has none."""


@dataclass
class FinalResult:
    """Everything the report says."""

    program: CandidateProgram
    simplified: Simplified
    calibration: StraightCalibration
    monotone: Callable[[Vector], Vector]
    """The isotonic calibration."""
    baselines: tuple[FittedBaseline | NotRun, ...]
    target: str
    sets: dict[str, SetResult] = field(default_factory=dict)
    graphs: dict[str, SetValues] = field(default_factory=dict)
    """The graphs of each set, one by one."""
    sanity: tuple[tuple[str, float, float], ...] = ()
    """Graph, target, prediction."""
    notes: dict[str, str] = field(default_factory=dict)
    """Sets on which the candidate failed as a whole, and why."""
    leaks: dict[str, str] = field(default_factory=dict)
    """Sets on which a program restates what may not be used, and what that is."""
    held_out: HeldOutScores = field(default_factory=HeldOutScores)
    """All zero if too few test graphs have a value."""

    @property
    def ran(self) -> tuple[FittedBaseline, ...]:
        """The baselines that there are numbers of."""
        return tuple(each for each in self.baselines if isinstance(each, FittedBaseline))

    @property
    def verdict(self) -> Verdict:
        candidate = {name: Score(row.rho, row.answered, row.interval) for name, row in self.sets.items()}
        scores = {
            each.heading: {name: row.baselines[each.heading] for name, row in self.sets.items()} for each in self.ran
        }
        return give_verdict(candidate, self.program.ast_nodes, scores, leaks=self.leaks)

    def compute_simplicity(self, weights: Weights) -> float:
        """Return the simplicity of the whole function, simplified."""
        return compute_simplicity(self.program.ast_nodes, self.simplified.length, weights)

    @property
    def predictor(self) -> str:
        """A Python function of the columns, or of a program's value, that predicts the target."""
        return write_predictor(self.program, self.calibration, self.target)

    @property
    def formula(self) -> str:
        expr = self.program.formula
        return self.program.inlined.text if expr is None else format_formula(expr)


def _score(baseline: FittedBaseline, table: FeatureTable) -> Score:
    values = baseline.predict(table.columns)
    return Score(compute_answered_rho(values, table.target), float(np.isfinite(values).mean()))

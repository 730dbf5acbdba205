"""The fit of the numbers in a formula, with SciPy: straight to the least squares, then to what the search climbs."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.search.budget import EvaluationBudget
from evograft_graph_invariant.search.search_objective import SearchObjective
from evograft_graph_invariant.search.trees import (
    make_constant,
    replace,
    round_to_digits,
    strip_affine_constants,
    tidy,
    walk,
)
from evograft_graph_invariant.search.values import compute_values

DIGITS = 3
"""Significant digits of fitted numbers: more would fit the graphs that were seen."""

FIRST_STEP = 0.15
"""The length of the first trial step, as a share of the number."""

STEPS = 4
"""Steps of least squares; each looks at the formula once for every number, and once more."""

WORST = 2.0
"""The value for the optimiser of a formula that has no score; all scores are above its negative."""


def fit_constants(
    expr: Expr, score: float, objective: SearchObjective, budget: EvaluationBudget, *, most: int
) -> tuple[Expr, float]:
    """Return the formula with the best numbers found, and its score, which is never less than the one given.

    Args:
        expr: the formula, tidied.
        score: its own.
        objective: what to climb.
        budget: one evaluation is taken from it for each try.
        most: the largest formula; a sign is two nodes.
    """
    fit = _Fit(expr, score, objective, budget, most)
    if objective.options.explore.least_squares:
        fit.straighten()
    fit.climb()
    return fit.formula, fit.score


class _Fit:
    """The best numbers so far."""

    def __init__(
        self, formula: Expr, score: float, objective: SearchObjective, budget: EvaluationBudget, most: int
    ) -> None:
        self.formula = formula
        self.score = score
        self._objective = objective
        self._budget = budget
        self._most = most

    def straighten(self) -> None:
        """Least squares, to the line that the formula is closest to: a few looks are enough, and none ranks."""
        from scipy.optimize import least_squares

        blank = _Blank(self.formula)
        table = self._objective.table.all
        looks = min(self._budget.left // 2, STEPS * (len(blank.numbers) + 1))
        straight = self._objective.straighten(blank.values(blank.numbers, table.columns, table.count))
        # The method needs more graphs than numbers, and a look at each of these before the first step.
        if straight is None or not 0 < len(blank.numbers) < min(looks - 1, table.count):
            return

        def residual(numbers: Vector) -> Vector:
            return straight.residual(blank.values(numbers, table.columns, table.count))

        self._budget.take(looks)
        found = least_squares(residual, blank.numbers, method="lm", max_nfev=looks)
        self._try(blank, found.x)

    def climb(self) -> None:
        """Climb with Nelder and Mead's simplex, which needs no slope: the objective has steps, because ranks have."""
        from scipy.optimize import minimize

        blank = _Blank(self.formula)
        start = blank.numbers
        if not len(start) or not self._budget.left:
            return
        steps = np.diag(np.where(start == 0, FIRST_STEP, FIRST_STEP * start))
        simplex = np.vstack([start, start + steps])

        def loss(numbers: Vector) -> float:
            return self._try(blank, numbers)

        minimize(
            loss,
            start,
            method="Nelder-Mead",
            options={"maxfev": self._budget.left, "xatol": 1e-3, "fatol": 1e-6, "initial_simplex": simplex},
        )

    def _try(self, blank: _Blank, numbers: Vector) -> float:
        """Keep the numbers if they are the best so far.

        Returns:
            The less, the better.
        """
        tried = strip_affine_constants(tidy(blank.filled(numbers, digits=DIGITS)))
        score = self._objective.score(tried) if tried.nodes <= self._most and self._budget.take() else None
        if score is None:
            return WORST
        if score > self.score:
            self.formula, self.score = tried, score
        return -score


class _Blank:
    """A formula whose numbers are to be filled in."""

    def __init__(self, formula: Expr) -> None:
        self.formula = formula
        found = [(path, part.value) for path, part in walk(formula) if part.operation == "constant"]
        self.places = [path for path, _ in found]
        self.numbers: Vector = np.array([number for _, number in found])

    def filled(self, numbers: Vector, *, digits: int | None = None) -> Expr:
        filled = self.formula
        for path, number in zip(self.places, numbers.tolist(), strict=True):
            filled = replace(filled, path, make_constant(number if digits is None else round_to_digits(number, digits)))
        return filled

    def values(self, numbers: Vector, columns: dict[str, Vector], count: int) -> Vector:
        with np.errstate(all="ignore"):
            values: Vector = np.broadcast_to(compute_values(self.filled(numbers), columns), (count,))
        return values

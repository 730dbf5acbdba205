"""Fits the numbers in a formula, with SciPy, to what the search climbs."""

from __future__ import annotations

import numpy as np

from evograft_graph_invariant.expression import Step
from evograft_graph_invariant.scoring import Vector
from evograft_graph_invariant.search.aim import Aim
from evograft_graph_invariant.search.budget import Budget
from evograft_graph_invariant.search.trees import constant, replace, rounded, tidy, walk, without_line

DIGITS = 3
"""Significant digits of fitted numbers: more would fit the graphs that were seen."""

FIRST_STEP = 0.15
"""How far the first trial step goes, as a share of the number."""

WORST = 2.0
"""What the optimiser is told of a formula that has no score; all scores are above its negative."""


def fit_constants(step: Step, score: float, aim: Aim, budget: Budget, *, most: int) -> tuple[Step, float]:
    """The formula with the best numbers found, and its score, which is never less than the one given.

    The objective has steps, since ranks have: Nelder and Mead's simplex needs no slope.

    Args:
        step: the formula, tidied.
        score: its own.
        aim: what to climb.
        budget: one evaluation is taken from it for each try.
        most: the largest formula; a sign is two nodes.
    """
    from scipy.optimize import minimize

    places = [path for path, part in walk(step) if part.operation == "constant"]
    if not places or not budget.left:
        return step, score
    best = step, score
    start = np.array([part.value for _, part in walk(step) if part.operation == "constant"])

    def loss(numbers: Vector) -> float:
        nonlocal best
        tried = step
        for path, number in zip(places, numbers.tolist(), strict=True):
            tried = replace(tried, path, constant(rounded(number, DIGITS)))
        tried = without_line(tidy(tried))
        found = aim.score(tried) if tried.nodes <= most and budget.take() else None
        if found is None:
            return WORST
        if found > best[1]:
            best = tried, found
        return -found

    steps = np.diag(np.where(start == 0, FIRST_STEP, FIRST_STEP * start))
    simplex = np.vstack([start, start + steps])
    minimize(
        loss,
        start,
        method="Nelder-Mead",
        options={"maxfev": budget.left, "xatol": 1e-3, "fatol": 1e-6, "initial_simplex": simplex},
    )
    return best

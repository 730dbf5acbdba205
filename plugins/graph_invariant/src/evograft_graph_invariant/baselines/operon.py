"""Symbolic regression by Operon, whose Python package is a wheel with no toolchain.

https://github.com/heal-research/pyoperon
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from typing import Any

from evograft_graph_invariant.baselines.linear_models import build_matrix
from evograft_graph_invariant.baselines.parsed_formulas import (
    ChosenFormulas,
    ParsedFormula,
    choose_formulas,
    parse_formula,
)
from evograft_graph_invariant.baselines.protocol import SymbolicBudget
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.feature_table import FeatureTable

POPULATION = 1000
LONGEST = 50
FIRST_LONGEST = 10
"""Operon's own defaults: of its trees, and of those it starts with."""

STEPS = 10
"""Steps of coefficient optimisation, each counted by Operon as an evaluation."""

BEYOND_THE_CLOCK = 10**9


def fit_operon(
    seen: FeatureTable, seed: int, budget: SymbolicBudget, *, aim: str = "value", longest: int = LONGEST
) -> ChosenFormulas:
    """Two objectives, squared error and length: one fit gives short formulas and long ones.

    Args:
        seen: the graphs to fit.
        seed: of its random numbers.
        budget: for one thread.
        aim: `value` fits the target, `rank` its ranks.
        longest: of its trees, in its own nodes, which are fewer than AST nodes.
    """
    names = tuple(seen.columns)
    rows = build_matrix(seen.columns, names)
    aims = seen.target if aim == "value" else rank_profile(seen.target)
    regressor = _regressor(seed, budget, longest)
    started = time.process_time()  # the package is imported by now, which takes seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if math.isinf(budget.cpu_seconds):
            regressor.fit(rows, aims)
        else:
            _fit_by_the_clock(regressor, rows, aims, started + budget.cpu_seconds)
    formulas = [_formula(regressor, front, names) for front in regressor.pareto_front_]
    return choose_formulas(formulas, rows, seen.target, budget)


def _fit_by_the_clock(regressor: Any, rows: Any, aims: Any, end: float) -> None:
    """Its clock is the wall's, and counts whole seconds: on a busy machine it is wound up again."""
    while (left := round(end - time.process_time())) > 0:
        regressor.set_params(max_time=left).fit(rows, aims)


def _regressor(seed: int, budget: SymbolicBudget, longest: int) -> Any:
    from pyoperon.sklearn import SymbolicRegressor

    return SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,pow,abs,sqrt,log,exp,constant,variable",
        objectives=["r2", "length"],
        population_size=POPULATION,
        max_length=longest,
        initialization_max_length=min(longest, FIRST_LONGEST),
        optimizer_iterations=STEPS,
        generations=BEYOND_THE_CLOCK,
        max_evaluations=budget.evaluations if math.isinf(budget.cpu_seconds) else BEYOND_THE_CLOCK,
        max_time=BEYOND_THE_CLOCK,
        n_threads=1,
        warm_start=True,
        random_state=seed,
    )


def _formula(regressor: Any, front: dict[str, Any], names: Sequence[str]) -> ParsedFormula:
    calls = [f"{name}(G)" for name in names]
    text = regressor.get_model_string(front["tree"], precision=6, names=calls).replace("^", "**")
    for name in ("log", "exp", "sqrt"):
        text = text.replace(f"{name}(", f"math.{name}(").replace(f"_math.{name}(", f"_{name}(")
    return parse_formula(text, lambda rows: regressor.evaluate_model(front["tree"], rows))

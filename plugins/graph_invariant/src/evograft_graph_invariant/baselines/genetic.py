"""Symbolic regression by gplearn: https://gplearn.readthedocs.io."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evograft_graph_invariant.baselines.linear_models import build_matrix
from evograft_graph_invariant.baselines.parsed_formulas import ChosenFormulas, ParsedFormula, parse_formula
from evograft_graph_invariant.baselines.protocol import SymbolicBudget
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.scoring.feature_table import FeatureTable

POPULATION = 1000
PARSIMONY = 0.00005

_WRITTEN = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "mul": "({} * {})",
    "div": "({} / {})",
    "pow": "({} ** {})",
    "sqrt": "math.sqrt({})",
    "log": "math.log({})",
    "exp": "math.exp({})",
    "abs": "abs({})",
}


def fit_gplearn(seen: FeatureTable, seed: int, budget: SymbolicBudget, *, metric: str = "spearman") -> ChosenFormulas:
    """One generation after another; it may keep the best of any of them.

    Args:
        seen: the graphs to fit.
        seed: of its random numbers.
        budget: a generation is begun while there is some left.
        metric: gplearn's fitness.
    """
    names = tuple(seen.columns)
    rows = build_matrix(seen.columns, names)
    regressor = _regressor(seed, metric, population=min(POPULATION, budget.evaluations))
    started = time.process_time()  # importing gplearn has used up whole budgets on a busy machine
    best: dict[bool, tuple[float, ParsedFormula]] = {}
    while (
        regressor.generations * regressor.population_size < budget.evaluations
        and time.process_time() - started < budget.cpu_seconds
    ):
        regressor.generations += 1
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            regressor.fit(rows, seen.target)
        _keep_best(best, regressor._programs[-1], names, budget.max_nodes)  # noqa: SLF001 - the only way to them
    short = best.get(True)
    return ChosenFormulas(best[False][1], short and short[1])


def _regressor(seed: int, metric: str, *, population: int) -> Any:
    from gplearn.functions import make_function
    from gplearn.genetic import SymbolicRegressor

    exp = make_function(function=_protected_exp, name="exp", arity=1)
    power = make_function(function=_protected_pow, name="pow", arity=2)
    return SymbolicRegressor(
        population_size=population,
        generations=0,
        metric=metric,
        parsimony_coefficient=PARSIMONY,
        stopping_criteria=np.inf,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "abs", exp, power),
        const_range=(-3.0, 3.0),
        warm_start=True,
        low_memory=True,
        random_state=seed,
    )


def _keep_best(
    best: dict[bool, tuple[float, ParsedFormula]], programs: Iterable[Any], names: Sequence[str], max_nodes: int
) -> None:
    """Look through a generation, the fittest first, for the best of any size and the best short one."""
    for found in sorted(programs, key=lambda each: -each.raw_fitness_):
        if all(kind in best and found.raw_fitness_ <= best[kind][0] for kind in (False, True)):
            return
        formula = parse_formula(_text(found.program, names), found.execute)
        for kind in (False, formula.nodes <= max_nodes):
            if kind not in best or found.raw_fitness_ > best[kind][0]:
                best[kind] = found.raw_fitness_, formula


def _text(flat: Sequence[Any], names: Sequence[str]) -> str:
    """Return the formula without gplearn's protection against undefined values: its meaning where it is defined."""
    nodes = iter(flat)

    def write() -> str:
        node = next(nodes)
        if isinstance(node, int):
            return f"{names[node]}(G)"
        if isinstance(node, float):
            return repr(float(node))
        arguments = [write() for _ in range(node.arity)]
        return _WRITTEN[node.name].format(*arguments)

    return write()


def _protected_exp(x: Vector) -> Vector:
    clipped: Vector = np.exp(np.clip(x, -700.0, 700.0))
    return clipped


def _protected_pow(x: Vector, y: Vector) -> Vector:
    with np.errstate(all="ignore"):
        values = np.abs(x) ** y
    return np.where(np.isfinite(values), values, 1.0)

"""Two packages for symbolic regression, given a CPU budget and the primitives of the plugin's grammar."""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from gplearn.functions import make_function
from gplearn.genetic import SymbolicRegressor as Gplearn
from pyoperon.sklearn import SymbolicRegressor as Operon

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.problem import program
from evograft_graph_invariant.program import Program
from evograft_graph_invariant.scoring import Matrix, rank_profile, spearman
from evograft_graph_invariant.sheet import Sheet

MAX_NODES = 40
"""What the plugin's own formulas may have at most, the return included."""

POPULATION = 1000
BEYOND_THE_CLOCK = 10**9


@dataclass(frozen=True)
class Formula:
    """A formula that a rival found."""

    expression: str
    nodes: int
    """Counted as the plugin counts, after everything is left out that changes no rank."""
    values: Callable[[Matrix], Vector]


@dataclass(frozen=True)
class Found:
    """The formulas that order the graphs best that were seen."""

    any_size: Formula
    short: Formula | None
    """The best of those that are no larger than the plugin's may be."""
    seconds: float


Fit = Callable[[Sheet, int, float], Found]


def table(sheet: Sheet) -> Matrix:
    return np.stack(list(sheet.columns.values()), axis=1)


def fit_gplearn(metric: str) -> Fit:
    """Gplearn, one generation after another; it may keep the best of any of them."""

    def fit(seen: Sheet, seed: int, budget: float) -> Found:
        started = time.process_time()
        rows = table(seen)
        regressor = Gplearn(
            population_size=POPULATION,
            generations=0,
            metric=metric,
            parsimony_coefficient=0.00005,
            stopping_criteria=np.inf,
            function_set=("add", "sub", "mul", "div", "sqrt", "log", "abs", _EXP, _POW),
            const_range=(-3.0, 3.0),
            warm_start=True,
            low_memory=True,
            random_state=seed,
        )
        best: dict[bool, tuple[float, Formula]] = {}
        while time.process_time() - started < budget:
            regressor.generations += 1
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                regressor.fit(rows, seen.target)
            _keep_best(best, regressor._programs[-1], tuple(seen.columns))
        short = best.get(True)
        return Found(best[False][1], short and short[1], time.process_time() - started)

    return fit


def _keep_best(best: dict[bool, tuple[float, Formula]], programs: Iterable, names: Sequence[str]) -> None:
    """Looks through a generation from its fittest on, for the best of any size and the best short one."""
    for found in sorted(programs, key=lambda each: -each.raw_fitness_):
        if all(kind in best and found.raw_fitness_ <= best[kind][0] for kind in (False, True)):
            return
        formula = _formula(_from_gplearn(found.program, names), found.execute)
        for kind in (False, formula.nodes <= MAX_NODES):
            if kind not in best or found.raw_fitness_ > best[kind][0]:
                best[kind] = found.raw_fitness_, formula


def _from_gplearn(flat: Sequence, names: Sequence[str]) -> str:
    """The formula without gplearn's protection against undefined values: what it means where it is defined."""
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


def _protected_exp(x: Vector) -> Vector:
    return np.exp(np.clip(x, -700.0, 700.0))


def _protected_pow(x: Vector, y: Vector) -> Vector:
    with np.errstate(all="ignore"):
        values = np.abs(x) ** y
    return np.where(np.isfinite(values), values, 1.0)


_EXP = make_function(function=_protected_exp, name="exp", arity=1)
_POW = make_function(function=_protected_pow, name="pow", arity=2)


def fit_operon(target: str) -> Fit:
    """Operon with two objectives, squared error and length: one fit gives short formulas and long ones."""

    def fit(seen: Sheet, seed: int, budget: float) -> Found:
        started = time.process_time()
        rows = table(seen)
        aims = seen.target if target == "value" else rank_profile(seen.target)
        regressor = Operon(
            allowed_symbols="add,sub,mul,div,pow,abs,sqrt,log,exp,constant,variable",
            objectives=["r2", "length"],
            population_size=POPULATION,
            optimizer_iterations=10,
            generations=BEYOND_THE_CLOCK,
            max_evaluations=BEYOND_THE_CLOCK,
            n_threads=1,
            warm_start=True,
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Its clock is the wall's, and counts whole seconds: on a busy machine it is wound up again.
            while (left := round(budget - (time.process_time() - started))) > 0:
                regressor.set_params(max_time=left).fit(rows, aims)
        formulas = [_from_operon(regressor, front, tuple(seen.columns)) for front in regressor.pareto_front_]
        worth = {id(each): abs(_rho_answered(each.values(rows), seen.target)) for each in formulas}
        formulas.sort(key=lambda each: -worth[id(each)])
        short = next((each for each in formulas if each.nodes <= MAX_NODES), None)
        return Found(formulas[0], short, time.process_time() - started)

    return fit


def _from_operon(regressor: Operon, front: dict, names: Sequence[str]) -> Formula:
    calls = [f"{name}(G)" for name in names]
    text = regressor.get_model_string(front["tree"], precision=6, names=calls).replace("^", "**")
    for name in ("log", "exp", "sqrt"):
        text = text.replace(f"{name}(", f"math.{name}(").replace(f"_math.{name}(", f"_{name}(")
    return _formula(text, lambda rows: regressor.evaluate_model(front["tree"], rows))


def _rho_answered(values: Vector, target: Vector) -> float:
    answered = np.isfinite(values)
    return spearman(values[answered], target[answered]) if answered.sum() > 2 else 0.0


def _formula(expression: str, values: Callable[[Matrix], Vector]) -> Formula:
    bare = without_line(expression)
    return Formula(bare, Program.parse(program(bare)).ast_nodes, values)


def without_line(expression: str) -> str:
    """Without constants that are added to the whole or multiplied with it: they change no rank."""
    node = ast.parse(expression, mode="eval").body
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        if _is_constant(node.right):
            node = node.left
        elif _is_constant(node.left) and not isinstance(node.op, ast.Div):
            node = node.right
        else:
            break
    return ast.unparse(node)


def _is_constant(node: ast.expr) -> bool:
    return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))

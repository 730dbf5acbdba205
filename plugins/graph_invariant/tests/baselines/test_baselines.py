"""The methods for comparison: what they find, that they find it again, and what is said of those that cannot run."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from evograft_graph_invariant.baselines import fit, genetic, julia
from evograft_graph_invariant.baselines.exhaustive import search_exhaustively
from evograft_graph_invariant.baselines.fit import fit_baselines
from evograft_graph_invariant.baselines.parsed_formulas import choose_formulas, parse_formula, strip_affine_constants
from evograft_graph_invariant.baselines.protocol import MAX_NODES, FittedBaseline, NotRun, SymbolicBudget, budget_of
from evograft_graph_invariant.formulas.interpreter import evaluate_columns
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.scoring.correlation import spearman
from evograft_graph_invariant.scoring.feature_table import FeatureTable

COUNT = 40
NAMES = ("n", "density", "leaves", "transitivity")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(0.1, 2, COUNT) for name in NAMES}
    columns["leaves"] = np.round(columns["leaves"] * 2)
    target = columns["density"] / (columns["transitivity"] + columns["n"])
    return FeatureTable(COUNT, columns, target, {}, np.array(["ER"] * COUNT))


def every_expression(names):
    """Written down without any thought of what is the same."""
    operators = "+-*/"
    for a, b in itertools.permutations(names, 2):
        for op in operators:
            yield f"{a}(G) {op} {b}(G)"
            for c, other in itertools.product(names, operators):
                yield f"({a}(G) {op} {b}(G)) {other} {c}(G)"
                yield f"{c}(G) {other} ({a}(G) {op} {b}(G))"


def rho_of(expression, table):
    formula = CandidateProgram.parse(f"def new_invariant(G):\n    return {expression}").formula
    values = evaluate_columns(formula, table.columns, table.count).values
    return abs(spearman(values, table.target)) if np.isfinite(values).all() else 0.0


def test_the_exhaustive_search_finds_what_made_the_target(table):
    best = search_exhaustively(table.columns, table.target)
    assert abs(best.rho) == pytest.approx(1.0)
    assert rho_of(best.expression, table) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_exhaustive_search_leaves_nothing_out(table, seed):
    target = np.random.default_rng(seed).normal(size=COUNT) + table.columns["n"]
    noisy = FeatureTable(COUNT, table.columns, target, {}, table.kinds)
    best = search_exhaustively(noisy.columns, target)
    assert abs(best.rho) == pytest.approx(max(rho_of(expression, noisy) for expression in every_expression(NAMES)))
    assert abs(best.rho) == pytest.approx(rho_of(best.expression, noisy))


def test_an_expression_without_a_value_somewhere_is_passed_over(table):
    columns = {"n": table.columns["n"], "leaves": np.append(table.columns["n"][:-1], 0.0)}
    best = search_exhaustively(columns, table.columns["n"] / np.append(table.columns["n"][:-1], 1e-9))
    assert "/ leaves(G)" not in best.expression


def test_the_methods_without_packages_of_their_own_fit_alike_for_equal_seeds(table):
    methods = ("linear", "forest", "best_single", "exhaustive")
    first, second = (fit_baselines(table, methods, seed=3, seconds=1.0) for _ in range(2))
    assert [each.heading for each in first] == ["LinearRegression", "RandomForest", "best single", "exhaustive"]
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.predict(table.columns), other.predict(table.columns))
    assert [each.nodes is None for each in first] == [True, True, False, False]
    assert [each.evaluations is None for each in first] == [True, True, True, False]


def test_the_best_single_column_has_six_nodes(table):
    (best,) = fit_baselines(table, ("best_single",), seed=0, seconds=1.0)
    assert best.expression == "density"
    assert best.nodes == CandidateProgram.parse("def new_invariant(G):\n    return density(G)").ast_nodes == 6


def test_a_package_that_is_missing_is_named_with_what_to_do(table, monkeypatch):
    monkeypatch.setattr(fit.importlib.util, "find_spec", lambda name: None)
    found = fit_baselines(table, ("operon", "gplearn", "pysr"), seed=0, seconds=1.0)
    assert all(isinstance(each, NotRun) for each in found)
    assert "pip install 'evograft-graph-invariant[symbolic]'" in found[0].reason
    assert "pip install 'evograft-graph-invariant[pysr]'" in found[2].reason
    assert "Julia 1.10 or newer" in found[2].reason
    assert "minutes" in found[2].reason


@pytest.mark.parametrize(
    ("printed", "reason"),
    [("julia version 1.9.4", "Julia is 1.9: "), ("julia version 1.11.2", None), ("?", "Julia is not installed: ")],
)
def test_julia_has_to_be_there_and_new_enough(monkeypatch, tmp_path, printed, reason):
    executable = tmp_path / "julia"
    executable.write_text(f"#!/bin/sh\necho '{printed}'\n")
    executable.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("PYTHON_JULIAPKG_EXE", raising=False)
    monkeypatch.setattr(julia.importlib.util, "find_spec", lambda name: object())
    found = julia.find_obstacle()
    assert found is None if reason is None else found.startswith(reason)


def test_equal_seconds_are_more_evaluations_for_a_faster_method():
    assert budget_of("operon", seconds=2.0).evaluations > budget_of("gplearn", seconds=2.0).evaluations > 1
    assert budget_of("operon", seconds=2.0, max_nodes=9).max_nodes == 9


def test_a_method_that_fails_is_a_row_with_the_reason(table, monkeypatch):
    def fail(seen, seed, budget):
        raise RuntimeError("out of luck")

    monkeypatch.setitem(fit._FITS, "linear", fail)
    (found,) = fit_baselines(table, ("linear",), seed=0, seconds=1.0)
    assert found == NotRun("linear", "it failed: RuntimeError: out of luck")


def test_pysrs_equations_are_read_as_formulas_over_columns():
    names = (*(f"column_{place}" for place in range(11)), "density")
    assert (
        julia.to_python("sqrt(x_1 ^ 2.0) / exp(x_11)", names) == "math.sqrt(column_1(G) ** 2.0) / math.exp(density(G))"
    )


def test_what_changes_no_rank_is_not_counted():
    assert strip_affine_constants("3.1 + 2 * (n(G) / m(G)) - 0.5") == "n(G) / m(G)"
    assert strip_affine_constants("2 / n(G)") == "2 / n(G)"


def test_the_best_short_formula_is_taken_before_a_longer_one(table):
    rows = np.stack(list(table.columns.values()), axis=1)
    long, short = "density(G) / (transitivity(G) + n(G))", "density(G) / n(G)"
    formulas = [
        parse_formula(short, lambda rows: rows[:, 1] / rows[:, 0]),
        parse_formula(long, lambda rows: rows[:, 1] / (rows[:, 3] + rows[:, 0])),
    ]
    found = choose_formulas(formulas, rows, table.target, SymbolicBudget(max_nodes=15))
    assert (found.any_size.expression, found.short.expression) == (long, short)
    assert found.as_baseline("operon", NAMES).expression == short
    assert (
        choose_formulas(formulas, rows, table.target, SymbolicBudget(max_nodes=5))
        .as_baseline("operon", NAMES)
        .expression
        == long
    )


@pytest.mark.parametrize(("method", "package"), [("operon", "pyoperon"), ("gplearn", "gplearn")])
def test_symbolic_regression_is_deterministic_and_within_its_budget(table, method, package):
    pytest.importorskip(package, reason=f"install {package}")
    (one,), (other,) = (fit_baselines(table, (method,), seed=5, seconds=3.0) for _ in range(2))
    assert isinstance(one, FittedBaseline), one
    assert one.expression == other.expression
    assert one.nodes <= MAX_NODES
    assert one.evaluations == budget_of(method, seconds=3.0).evaluations
    assert abs(spearman(one.predict(table.columns), table.target)) > 0.9


def test_a_package_that_is_slow_to_import_has_all_of_its_time_left(table, monkeypatch):
    pytest.importorskip("gplearn", reason="install gplearn")
    budget = SymbolicBudget(cpu_seconds=0.05)
    import_it = genetic._regressor

    def import_it_slowly(*arguments, **settings):
        until = time.process_time() + 2 * budget.cpu_seconds
        while time.process_time() < until:
            pass
        return import_it(*arguments, **settings)

    monkeypatch.setattr(genetic, "_regressor", import_it_slowly)
    assert genetic.fit_gplearn(table, 5, budget).any_size.expression


def test_pysr_finds_what_made_the_target(table):
    if julia.find_obstacle() is not None:
        pytest.skip("install julia")
    (found,) = fit_baselines(table, ("pysr",), seed=5, seconds=5.0)
    assert isinstance(found, FittedBaseline), found
    assert abs(spearman(found.predict(table.columns), table.target)) > 0.9

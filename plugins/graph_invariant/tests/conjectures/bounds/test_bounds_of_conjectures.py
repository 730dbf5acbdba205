from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from evograft_graph_invariant.conjectures.bounds.dalmatian import RankedBound, select_bounds
from evograft_graph_invariant.conjectures.bounds.fitting import fit_upper_bounds
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.products import ProductSearch
from evograft_graph_invariant.conjectures.bounds.small_programs import minimize
from evograft_graph_invariant.conjectures.engine import ConjectureOptions, fit_everywhere
from evograft_graph_invariant.conjectures.table import InvariantTable


@pytest.mark.parametrize(
    "statement",
    [
        "domination_number <= n / 2",
        "algebraic_connectivity <= n * min_degree / (n - 1)",
        "average_shortest_path_length >= -density + 2",
        "radius <= 3 * diameter / 4 - 1/2",
    ],
)
def test_a_statement_is_read_as_it_is_written(statement):
    once = Inequality.parse(statement)
    assert Inequality.parse(once.statement) == once


@pytest.mark.parametrize("statement", ["n < 3", "magic <= n", "n <= magic", "n <= __import__('os')", "n <= n.real"])
def test_what_is_no_statement_is_refused(statement):
    with pytest.raises(ValueError, match="is n"):
        Inequality.parse(statement)


points = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30)


@settings(max_examples=25, deadline=None)
@given(points)
def test_a_fitted_bound_holds_on_all_rows_and_is_sharp_on_one(rows):
    x, y = np.array(rows, dtype=float).T
    for (slope,), constant in fit_upper_bounds(x[:, None], y):
        slack = float(slope) * x + float(constant) - y
        assert slack.min() == pytest.approx(0, abs=1e-8)
        assert slope.denominator <= 4
        assert constant.denominator <= 6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([3, 30, 300]))
def test_small_programs_have_the_optimum_that_a_general_solver_finds(seed, unknowns, constraints):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 9, (constraints, unknowns)).astype(float)
    least, cost = rng.integers(-9, 9, constraints).astype(float), rng.integers(-4, 9, unknowns).astype(float)
    limits = rng.integers(1, 9, unknowns).astype(float)
    expected = linprog(cost, A_ub=-rows, b_ub=-least, bounds=np.column_stack([-limits, limits]), method="highs")
    found = minimize(cost, rows, least, limits)
    assert (found is None) == (expected.x is None)
    if found is not None:
        assert cost @ found == pytest.approx(expected.fun, abs=1e-6)
        assert (rows @ found - least).min() > -1e-6
        assert (np.abs(found) <= limits + 1e-6).all()


def test_bounds_of_three_invariants_are_fitted():
    rng = np.random.default_rng(0)
    names = ("radius", "leaves", "triangles")
    columns = {name: rng.integers(1, 9, 200).astype(float) for name in ("n", *names)}
    columns["m"] = columns["radius"] / 2 + columns["leaves"] - 2 * columns["triangles"] - rng.integers(0, 2, 200)
    flags, texts = {name: np.zeros(200, dtype=bool) for name in ("tree",)}, np.full(200, "")
    options = ConjectureOptions(targets=("m",), invariants=("n", *names), properties=())
    _, found = fit_everywhere(("m", "<="), InvariantTable(columns, flags, texts, texts), options)
    assert Inequality.parse("m <= leaves + radius / 2 - 2 * triangles") in found


def test_a_bound_that_is_never_the_best_is_dropped():
    def bound(statement, slack):
        return RankedBound(Inequality.parse(statement), np.array(slack, dtype=float))

    sharp, other, worse = bound("m <= n", [0, 0, 2]), bound("m <= 2 * n", [1, 1, 0]), bound("m <= 3 * n", [0, 1, 2])
    kept = select_bounds([worse, other, sharp], np.full(3, np.inf), least_touches=1, most=9)
    assert kept == [sharp, other]


def test_nonlinear_bounds_are_exact_and_hold():
    n = np.array([2.0, 3, 4, 5, 6])
    columns = {"n": n, "m": n * (n - 1) / 2, "max_degree": n - 1}
    found = list(ProductSearch(("n", "max_degree"), columns).find_bounds("m", "<="))
    for bound in found:
        assert (bound.compute_slack(columns) >= 0).all()
    assert all(number.denominator <= 6 for bound in found for _, number in bound.terms)
    assert not any(bound.compute_slack(columns).max() == 0 for bound in found), "an identity is no bound"


def test_coefficients_are_fractions():
    (term, number), (_, constant) = Inequality.parse("radius <= 2 * diameter / 3 + 1/2").terms
    assert (term, number, constant) == ("diameter", Fraction(2, 3), Fraction(1, 2))

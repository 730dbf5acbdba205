from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.conjectures.bounds.dalmatian import RankedBound, select_bounds
from evograft_graph_invariant.conjectures.bounds.fitting import fit_upper_bounds
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.products import ProductSearch


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

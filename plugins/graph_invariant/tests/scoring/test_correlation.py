from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.options import Weights
from evograft_graph_invariant.scoring.correlation import (
    pearson,
    rank,
    rank_profile,
    rank_profiles,
    spearman,
)
from evograft_graph_invariant.scoring.simplicity import compute_simplicity

numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6))
columns = st.integers(4, 30).flatmap(
    lambda n: st.tuples(st.lists(numbers, min_size=n, max_size=n), st.lists(numbers, min_size=n, max_size=n))
)


@given(columns)
def test_correlations_equal_scipys(pair):
    a, b = map(np.array, pair)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert spearman(a, b) == pearson(a, b) == 0.0
        return
    assert spearman(a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-9)
    if np.ptp(a) > 1e-3 * np.abs(a).max() and np.ptp(b) > 1e-3 * np.abs(b).max():
        assert pearson(a, b) == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-6)


@given(columns)
def test_ranks_equal_scipys_one_by_one_and_row_by_row(pair):
    table = np.array(pair)
    assert np.array_equal(rank(table), scipy.stats.rankdata(table, axis=1))
    assert np.allclose(rank_profiles(table), np.stack([rank_profile(row) for row in table]))


def test_the_sign_is_kept():
    assert spearman(np.arange(9.0), -(np.arange(9.0) ** 3)) == pytest.approx(-1.0)


def test_huge_values_overflow_nothing():
    assert pearson(np.array([1e308, -1e308, 1e308, 0.0]), np.array([1.0, -1.0, 1.0, 0.0])) == pytest.approx(1.0)


@given(st.floats(-1, 1), st.integers(0, 10_000), st.integers(0, 10_000), st.floats(0, 1))
def test_the_total_lies_between_zero_and_one(rho, nodes, length, novelty):
    weights = Weights()
    simple = compute_simplicity(nodes, length, weights)
    assert 0 <= simple <= 1
    assert 0 <= weights.total(rho=rho, simplicity=simple, novelty=novelty) <= 1


def test_simplicity_is_as_specified():
    assert compute_simplicity(15, 31, Weights()) == pytest.approx(0.5 / (1 + np.log2(15)) + 0.5 / (1 + np.log2(31)))
    assert compute_simplicity(0, 0, Weights()) == 1.0

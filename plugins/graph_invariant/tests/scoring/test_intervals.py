"""Intervals of rank correlations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evograft_graph_invariant.scoring.intervals import estimate_mean_interval, estimate_rho_interval


@pytest.mark.parametrize("count", [12, 50])
def test_the_interval_of_rho_holds_rho(train, train_distances, count):
    target = train_distances["average_shortest_path_length"][:count]
    values = -train.columns["density"][:count]
    low, high = estimate_rho_interval(values, target, seed=0)
    assert -1 <= low < spearmanr(values, target).statistic < high <= 1


def test_it_is_narrower_on_more_graphs_and_says_nothing_of_five(train, train_distances):
    target, values = train_distances["average_shortest_path_length"], -train.columns["density"]
    widths = [high - low for low, high in (estimate_rho_interval(values[:n], target[:n], seed=0) for n in (12, 50))]
    assert widths[1] < widths[0]
    assert estimate_rho_interval(values[:5], target[:5], seed=0) is None


@pytest.mark.parametrize("count", [10, 29, 30, 100])
def test_an_order_without_a_mistake_has_an_interval_too(count):
    values = np.arange(float(count))
    assert estimate_rho_interval(values, values, seed=0) == pytest.approx((1.0, 1.0))
    assert estimate_rho_interval(values, -values, seed=0) == pytest.approx((-1.0, -1.0))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_the_interval_of_a_mean_holds_it_and_stays_within_zero_and_one(rho):
    low, high = estimate_mean_interval(rho)
    assert 0 <= low <= np.mean(rho) + 1e-8
    assert np.mean(rho) - 1e-8 <= high <= 1


def test_two_seeds_that_differ_give_a_wide_interval_of_possible_values():
    low, high = estimate_mean_interval([0.64, 0.99])
    assert low == 0
    assert 0.999 < high <= 1
    assert estimate_mean_interval([0.9]) is None

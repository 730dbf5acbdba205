"""Likeness to known invariants, its intervals, and what is left of it beside the target."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.scoring.bootstrap import Resamples, remove_dependence
from evograft_graph_invariant.scoring.correlation import rank_profile
from evograft_graph_invariant.scoring.novelty import NoveltyScorer, measure_likeness

vectors = st.integers(5, 25).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(-4, 4).map(float), min_size=n, max_size=n) for _ in range(3)))
)


def partial(a, b, given):
    ab, at, bt = (scipy.stats.spearmanr(*pair).statistic for pair in ((a, b), (a, given), (b, given)))
    return (ab - at * bt) / np.sqrt((1 - at**2) * (1 - bt**2))


@pytest.fixture
def sample():
    rng = np.random.default_rng(1)
    references = {"near": rng.normal(size=60), "far": rng.normal(size=60), "ties": np.round(rng.normal(size=60))}
    return references["near"] + rng.normal(size=60), references, rng.normal(size=60)


def test_novelty_is_one_less_the_nearest_reference(sample):
    values, references, _ = sample
    expected = {name: abs(scipy.stats.spearmanr(values, column).statistic) for name, column in references.items()}
    found = measure_likeness(values, references, seed=0)
    assert {name: each.rho for name, each in found.each.items()} == pytest.approx(expected)
    assert found.nearest == "near"
    assert found.bonus == pytest.approx(1 - expected["near"])
    assert NoveltyScorer(references).bonus(rank_profile(values)) == pytest.approx(found.bonus)


def test_novelty_given_the_target_is_the_partial_rank_correlation(sample):
    values, references, target = sample
    expected = {name: abs(partial(values, column, target)) for name, column in references.items()}
    found = measure_likeness(values, references, seed=0, given=target)
    assert {name: each.rho for name, each in found.each.items()} == pytest.approx(expected)
    assert NoveltyScorer(references, given=target).bonus(rank_profile(values)) == pytest.approx(found.bonus)


def test_bootstrap_intervals_equal_a_slow_reference(sample):
    values, references, target = sample
    draws = np.random.default_rng(9).integers(0, 60, size=(1000, 60))
    plain, given_target = (
        measure_likeness(values, references, seed=9),
        measure_likeness(values, references, seed=9, given=target),
    )
    for name, column in references.items():
        slow = [abs(scipy.stats.spearmanr(values[rows], column[rows]).statistic) for rows in draws]
        assert (plain.each[name].low, plain.each[name].high) == pytest.approx(np.quantile(slow, [0.025, 0.975]))
    slow = [abs(partial(values[rows], references["near"][rows], target[rows])) for rows in draws]
    assert given_target.each["near"].high == pytest.approx(np.quantile(slow, 0.975))


@given(vectors)
def test_every_resample_is_ranked_as_scipy_ranks_it(columns):
    a, b, _ = map(np.array, columns)
    draws = np.random.default_rng(3).integers(0, len(a), size=(20, len(a)))
    resamples = Resamples(len(a), seed=3, resamples=20)
    found = (resamples.profiles(a) * resamples.profiles(b)).sum(axis=1)
    for rows, rho in zip(draws, found, strict=True):
        constant = len(set(a[rows])) == 1 or len(set(b[rows])) == 1
        expected = 0.0 if constant else scipy.stats.spearmanr(a[rows], b[rows]).statistic
        assert rho == pytest.approx(expected, abs=1e-9)


@given(vectors)
def test_nothing_is_left_of_a_quantity_given_itself_and_all_of_it_given_a_constant(columns):
    a, b, _ = (rank_profile(np.array(column)) for column in columns)
    assert not remove_dependence(a, a).any()
    assert not remove_dependence(-a, a).any()
    assert remove_dependence(a, np.zeros_like(a)) == pytest.approx(a)
    assert abs(remove_dependence(a, b) @ b) < 1e-6


@given(vectors, st.booleans())
def test_bonus_and_intervals_lie_between_zero_and_one(columns, beside):
    values, reference, target = map(np.array, columns)
    found = measure_likeness(values, {"it": reference}, seed=0, given=target if beside else None)
    likeness = found.each["it"]
    assert 0 <= likeness.low <= likeness.high <= 1
    assert 0 <= found.bonus <= 1


def test_a_copy_of_the_target_is_as_new_as_the_target_but_wholly_new_given_it(sample):
    _, references, target = sample
    known = {"known": target + 0.1 * np.random.default_rng(0).normal(size=60), **references}
    plain, given_target = measure_likeness(target, known, seed=0), measure_likeness(target, known, seed=0, given=target)
    assert not plain.is_new
    assert plain.bonus < 0.05
    assert given_target.bonus == 1.0
    assert given_target.is_new


def test_a_known_invariant_is_never_new(sample):
    _, references, target = sample
    for beside in (None, target):
        found = measure_likeness(references["near"], references, seed=0, given=beside)
        assert found.bonus == pytest.approx(0.0)
        assert not found.is_new


def test_the_bonus_of_a_search_is_of_the_kind_that_was_asked_for(make_bench):
    formula = "(1 - density(G)) / two_hop_share(G)"
    plain, given_target = (make_bench(novelty=kind).evaluate(formula) for kind in ("plain", "given_target"))
    assert plain.metrics["validation_rho"] == given_target.metrics["validation_rho"]
    assert plain.metrics["novelty"] < 0.2 < given_target.metrics["novelty"]

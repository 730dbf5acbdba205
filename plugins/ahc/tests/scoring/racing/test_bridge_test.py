"""The test behind the races: how often it errs, and what it needs to decide."""

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evograft_ahc.scoring.racing.bridge_test import is_below, measure_evidence

unhurried = settings(deadline=None)

SMALL = st.integers(-1000, 1000).map(float)
RACES = 1000
SEVERAL = st.lists(SMALL, min_size=5, max_size=40)


def given_up(population, rng, *, block=5, error_rate=0.05):
    """Whether a race over a population in a random order says at some look that its mean is below 0."""
    order = rng.sample(population, len(population))
    looks = range(block, len(order), block)
    return any(is_below(order[:count], len(order), error_rate, step=block) for count in looks)


def rate(make, *, races=RACES, seed=1, **rules):
    """The share of races given up whose populations have the mean 0: the worst of those that should not be."""
    rng = random.Random(seed)
    count = 0
    for _ in range(races):
        population = [make(rng) for _ in range(60)]
        mean = sum(population) / 60
        count += given_up([value - mean for value in population], rng, **rules)
    return count / races


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda rng: rng.gauss(0, 1), id="normal"),
        pytest.param(lambda rng: rng.uniform(-1, 1), id="uniform"),
        pytest.param(lambda rng: rng.choice((-1, 1)), id="two values"),
        pytest.param(lambda rng: rng.gauss(0, 1) / max(0.3, rng.random()), id="heavy tails"),
        pytest.param(lambda rng: -rng.expovariate(1), id="rare great losses"),
    ],
)
@pytest.mark.parametrize("block", [2, 5, 20])
def test_who_is_as_good_as_the_bar_is_given_up_no_more_often_than_agreed(make, block):
    # 0.05 and two standard errors.
    assert rate(make, block=block) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / RACES)


def test_who_gains_much_on_few_cases_is_given_up_more_often_than_agreed_but_not_much():
    # Where few cases hold all that is gained, a sample without them says nothing of them, whatever the method.
    assert rate(lambda rng: rng.expovariate(1), block=5) <= 0.09


@pytest.mark.parametrize("error_rate", [0.01, 0.2])
def test_the_error_rate_is_the_one_asked_for(error_rate):
    found = rate(lambda rng: rng.gauss(0, 1), block=3, error_rate=error_rate)
    assert error_rate / 4 <= found <= error_rate + 2 * math.sqrt(error_rate * (1 - error_rate) / RACES)


def test_clear_losers_are_given_up_early():
    rng = random.Random(3)
    for loss, looks in ((1.0, 30), (3.0, 12)):
        order = [rng.gauss(-loss, 1) for _ in range(100)]
        assert any(is_below(order[:count], 100, 0.05, step=5) for count in range(5, looks + 1, 5)), loss


@unhurried
@given(SEVERAL, st.sampled_from((1e-250, 0.1, 3.7, 1e250)), st.integers(2, 100))
def test_the_unit_of_scores_does_not_matter(differences, unit, more):
    population = len(differences) + more
    scaled = [unit * value for value in differences]
    assert measure_evidence(scaled, population) == pytest.approx(measure_evidence(differences, population), abs=1e-6)


@unhurried
@given(SEVERAL, st.integers(0, 2**32), st.integers(2, 100))
def test_the_order_of_what_was_seen_does_not_matter(differences, seed, more):
    population = len(differences) + more
    other = random.Random(seed).sample(differences, len(differences))
    assert measure_evidence(other, population) == pytest.approx(measure_evidence(differences, population), abs=1e-9)


@unhurried
@given(SEVERAL, st.integers(2, 100), st.floats(0.001, 0.2), st.floats(0.001, 0.2))
def test_a_smaller_error_rate_never_gives_up_more(differences, more, one, other):
    strict, lax = sorted((one, other))
    population = len(differences) + more
    assert not is_below(differences, population, strict, step=5) or is_below(differences, population, lax, step=5)


@unhurried
@given(st.lists(SMALL, min_size=2, max_size=40), st.integers(1, 100))
def test_who_is_ahead_is_never_given_up(differences, more):
    assume(sum(differences) >= 0)
    assert not is_below(differences, len(differences) + more, 0.2, step=1)


@unhurried
@given(st.integers(2, 40), st.integers(1, 100))
def test_equal_results_are_no_evidence(count, more):
    assert measure_evidence([0.0] * count, count + more) == 0
    assert not is_below([0.0] * count, count + more, 0.2, step=1)


def test_thousands_of_cases_are_as_good_as_a_hundred():
    assert is_below([-1.0] * 5000, 10_000, 0.05, step=5)
    assert not is_below([-1.0, 1.0] * 2500, 10_000, 0.05, step=5)


def test_a_few_equal_losses_are_no_more_than_bad_luck():
    assert not is_below([-1.0] * 5, 100, 0.05, step=5)
    assert is_below([-1.0] * 10, 100, 0.05, step=5)
    assert not is_below([-1.0, -1.001, -0.999, -1.0, -1.002], 100, 0.05, step=5)

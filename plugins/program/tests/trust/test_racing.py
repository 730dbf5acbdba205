"""Races: what is hopeless, and how often a candidate is given up that is as good as the incumbent."""

import random

import pytest

from evograft_program.trust.racing import find_lower_tail, is_hopeless

THEIRS = [1.0, 1.1, 0.9, 1.05, 0.95]


@pytest.mark.parametrize(
    ("t", "freedom", "probability"),
    [(-6.313752, 1, 0.05), (-2.919986, 2, 0.05), (-2.353363, 3, 0.05), (-2.015048, 5, 0.05), (-2.763769, 10, 0.01)],
)
def test_the_tail_is_that_of_published_tables(t, freedom, probability):
    assert find_lower_tail(t, freedom) == pytest.approx(probability, abs=1e-7)
    assert find_lower_tail(-t, freedom) == pytest.approx(1 - probability, abs=1e-7)


def test_what_is_far_below_on_the_same_seeds_is_hopeless():
    assert is_hopeless([0.5, 0.6, 0.41], THEIRS)
    assert not is_hopeless([0.99, 1.12, 0.88], THEIRS)
    assert not is_hopeless([1.5, 1.6, 1.41], THEIRS)


def test_without_any_noise_two_scores_are_enough_and_one_is_not():
    assert is_hopeless([0.9, 0.9], [1.0] * 5)
    assert not is_hopeless([0.9], [1.0] * 5)
    assert not is_hopeless([1.0, 1.0], [1.0] * 5)


def test_nothing_is_given_up_where_nothing_is_left_to_run():
    assert not is_hopeless([0.0, 0.0], [1.0, 1.0])
    assert not is_hopeless([0.0] * 5, THEIRS)


def test_differences_that_are_equal_by_chance_say_little():
    assert not is_hopeless([0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0])


def test_numbers_of_any_size_are_compared():
    assert is_hopeless([-1e308, -1e308], [1e308] * 4)
    assert is_hopeless([0.9e-300, 0.9e-300], [1e-300] * 4)


@pytest.mark.parametrize("count", [3, 5, 10])
@pytest.mark.parametrize("draw", [random.Random.random, lambda rng: float(rng.random() < 0.5)], ids=["even", "coin"])
def test_few_candidates_that_are_as_good_as_the_incumbent_are_given_up(count, draw):
    rng = random.Random(1)
    given_up = 0
    for _ in range(2000):
        ours, theirs = ([draw(rng) for _ in range(count)] for _ in range(2))
        given_up += any(is_hopeless(ours[:seen], theirs) for seen in range(2, count))
    assert given_up / 2000 < 0.07

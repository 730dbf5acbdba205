"""The laws of joined places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evograft_playbook.search.fusion import fuse, rank_places

scores = st.lists(st.floats(-5, 5), min_size=1, max_size=30).map(np.array)
weights = st.floats(0.05, 1)


@given(scores)
def test_places_count_from_one_and_the_highest_score_is_first(given_scores):
    place = rank_places(given_scores)
    assert sorted(place) == list(range(1, len(given_scores) + 1))
    assert given_scores[np.argmin(place)] == given_scores.max()


@given(st.integers(1, 20))
def test_equal_scores_have_places_in_their_order(count):
    assert list(rank_places(np.full(count, 0.5))) == list(range(1, count + 1))


@given(scores, st.floats(-5, 5))
def test_what_is_not_above_the_floor_has_no_place(given_scores, floor):
    place = rank_places(given_scores, above=floor)
    assert list(np.isfinite(place)) == list(given_scores > floor)


@given(scores, weights, weights, st.floats(0.5, 100))
def test_two_halves_that_agree_keep_their_order_and_the_first_has_one(given_scores, one, other, k):
    place = rank_places(given_scores)
    joined = fuse([(one, place), (other, place)], k=k)
    assert list(np.argsort(-joined, kind="stable")) == list(np.argsort(place))
    assert np.isclose(joined.max(), 1.0)


@given(scores, weights)
def test_a_half_without_weight_changes_nothing(given_scores, weight):
    place = rank_places(given_scores)
    alone = fuse([(weight, place)], k=10)
    assert np.array_equal(alone, fuse([(weight, place), (0.0, place[::-1])], k=10))


def test_what_no_half_has_found_has_no_score():
    nowhere = rank_places(np.zeros(3), above=0.0)
    assert list(fuse([(0.3, nowhere), (0.7, nowhere)], k=10)) == [0, 0, 0]

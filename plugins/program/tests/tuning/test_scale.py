"""Coordinates of numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_program.tuning.scale import FARTHEST, LiteralScale

reals = st.floats(1e-6, 1e9)
places = st.floats(-FARTHEST, FARTHEST)


@given(reals, places)
def test_a_real_number_and_its_coordinate_belong_together(begin, place):
    scale = LiteralScale(begin, is_integer=False)
    assert scale.place(begin) == 0
    assert scale.place(scale.value(place)) == pytest.approx(place, abs=1e-6)


@given(st.integers(1, 10**6), places)
def test_an_integer_stays_one_and_above_zero(begin, place):
    value = LiteralScale(float(begin), is_integer=True).value(place)
    assert value == int(value) >= 1


@given(st.integers(1, 10**6))
def test_one_step_makes_an_integer_another_one(begin):
    scale = LiteralScale(float(begin), is_integer=True)
    assert scale.value(1.0) > begin


@given(st.floats(0.9, 0.9999), places)
def test_a_rate_stays_below_one(begin, place):
    assert LiteralScale(begin, is_integer=False).value(place) < 1


@given(reals, st.floats(-1e12, 1e12))
def test_any_value_has_a_coordinate(begin, value):
    assert -FARTHEST <= LiteralScale(begin, is_integer=False).place(value) <= FARTHEST

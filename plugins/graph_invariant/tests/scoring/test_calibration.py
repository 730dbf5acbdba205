"""Predictions from values of which only the order was judged."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.scoring.calibration import (
    BEYOND,
    SHAPES,
    fit_isotonic,
    fit_straight,
    mae,
    median_error,
    rmse,
)

TARGET = np.linspace(1.5, 9.0, 60)


def test_where_a_line_is_straightest_it_is_the_best_line():
    rng = np.random.default_rng(0)
    x = TARGET - 20 + 0.01 * rng.normal(size=len(TARGET))
    fitted = scipy.stats.linregress(x, TARGET)
    predicted = fit_straight(x, TARGET).predict(x)
    assert np.allclose(predicted, fitted.intercept + fitted.slope * x)
    assert rmse(predicted, TARGET) == pytest.approx(np.sqrt(np.mean((predicted - TARGET) ** 2)))
    assert mae(predicted, TARGET) == pytest.approx(np.mean(np.abs(predicted - TARGET)))
    assert median_error(predicted, TARGET) == pytest.approx(np.median(np.abs(predicted - TARGET) / TARGET))


@pytest.mark.parametrize("place", range(len(SHAPES)))
@pytest.mark.parametrize("is_logarithm", [False, True])
def test_every_form_in_which_values_are_straight_is_found(place, is_logarithm):
    line = 0.3 * SHAPES[place].of_target(TARGET) - 0.1
    values = np.exp(line) if is_logarithm else line
    assert np.allclose(fit_straight(values, TARGET).predict(values), TARGET)


@given(st.floats(allow_nan=False), st.integers(0, len(SHAPES) - 1), st.booleans())
def test_predictions_stay_near_the_target_wherever_a_value_lies(value, place, is_logarithm):
    line = 0.3 * SHAPES[place].of_target(TARGET) + 2.0
    found = fit_straight(np.exp(line) if is_logarithm else line, TARGET)
    (predicted,) = found.predict(np.array([value]))
    if math.isinf(value):
        assert math.isnan(predicted)
    else:
        assert 0.999 * TARGET.min() / BEYOND <= predicted <= 1.001 * TARGET.max() * BEYOND


def test_what_has_no_value_has_no_prediction():
    assert np.isnan(fit_straight(TARGET, TARGET).predict(np.array([np.nan]))).all()


def test_a_monotone_calibration_forgives_any_monotone_map():
    x = np.linspace(0.1, 3, 40)
    assert rmse(fit_isotonic(-np.exp(x), x)(-np.exp(x)), x) < 1e-12

"""The optimiser: what it finds, and that it is a function of what it is told."""

import math
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_program.tuning.optimiser import TriedPoint, suggest_points

points = st.lists(st.floats(-8, 8), min_size=3, max_size=3).map(tuple)
told = st.lists(st.builds(TriedPoint, points, st.none() | st.floats(-1e12, 1e12), st.booleans()), max_size=40)
fuzzed = settings(deadline=None, max_examples=30)


def search(loss, dimensions, *, trials, window=1, seed=0):
    """The best loss after some trials, of which a window is out at a time."""
    begin = (0.0,) * dimensions
    tried, out = [TriedPoint(begin, -loss(begin), was_asked=False)], []
    for trial in range(trials):
        out.append(next(suggest_points(dimensions, tried, seed=1000 * seed + trial)))
        if len(out) == window:
            point = out.pop(0)
            value = loss(point)
            tried.append(TriedPoint(point, None if value is None else -value))
    return min(-each.score for each in tried if each.score is not None)


def bowl(point):
    return sum((place - 1.5) ** 2 for place in point)


def valley(point):
    """Narrow, and askew."""
    x, y = point
    return (x + y - 2) ** 2 + 100 * (x - y + 1) ** 2


def cliff(point):
    """Nothing but a quarter of the space holds programs, and the best one stands at its edge."""
    x, y = point
    return None if x > 1 or y > 1 else (x - 1.2) ** 2 + (y - 0.5) ** 2


@pytest.mark.parametrize(
    ("loss", "dimensions", "least"),
    [(bowl, 1, 1e-3), (bowl, 3, 0.01), (bowl, 12, 12), (valley, 2, 1.0), (cliff, 2, 0.1)],
)
@pytest.mark.parametrize("window", [1, 4])
def test_it_comes_close_within_sixty_trials(loss, dimensions, least, window):
    assert search(loss, dimensions, trials=60, window=window) < least


@fuzzed
@given(told, st.integers(0, 2**63))
def test_the_answer_is_a_function_of_what_is_told(tried, seed):
    answers = [list(islice(suggest_points(3, tried, seed=seed), 100)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert all(math.isfinite(place) for point in answers[0] for place in point)


def test_another_seed_gives_another_point():
    tried = [TriedPoint((float(x), 1.0, 0.0), -float(x * x)) for x in range(9)]
    assert len({next(suggest_points(3, tried, seed=seed)) for seed in range(10)}) == 10


def test_points_of_others_count_for_what_is_picked():
    tried = [TriedPoint((x / 2, 0.0), -abs(x / 2 - 1.5), was_asked=False) for x in range(-4, 5)]
    firsts = [next(suggest_points(2, tried, seed=seed))[0] for seed in range(10)]
    assert min(firsts) > 0

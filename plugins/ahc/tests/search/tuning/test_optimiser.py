"""The optimiser: what it finds, and that it is a function of what it is told."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.search.tuning.optimiser import Observation, suggest_point

fuzzed = settings(deadline=None, max_examples=30)
points = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(tuple)
tells = st.lists(st.builds(Observation, points, st.none() | st.floats(-1e12, 1e12), st.booleans()), max_size=60)


def search(loss, begin, *, trials, window=1, seed=0):
    """The best loss after some trials, of which a window is out at a time."""
    told, out, best = [], [], loss(begin)
    for trial in range(trials):
        out.append(suggest_point(begin, told, seed=1000 * seed + trial, step=0.2))
        if len(out) == window:
            point = out.pop(0)
            told.append(Observation(point, -loss(point)))
            best = min(best, loss(point))
    return best


def valley(point):
    """Narrow, and askew."""
    x, y, z = (place - 0.7 for place in point)
    return (x + y) ** 2 + 100 * (x - y) ** 2 + (z - 2 * x) ** 2


@fuzzed
@given(points, tells, st.integers(0, 2**64))
def test_the_same_is_asked_for_the_same_tells_and_seed(begin, told, seed):
    point = suggest_point(begin, told, seed=seed, step=0.2)
    assert suggest_point(begin, told, seed=seed, step=0.2) == point
    assert all(0 <= place <= 1 for place in point)


def test_seeds_give_points_that_differ_so_that_many_can_be_out():
    assert len({suggest_point((0.5, 0.5), [], seed=seed, step=0.2) for seed in range(20)}) == 20


@pytest.mark.parametrize("window", [1, 8])
def test_it_finds_a_narrow_valley_that_chance_does_not(window):
    rng = random.Random(0)
    by_chance = min(valley([rng.random() for _ in range(3)]) for _ in range(300))
    assert search(valley, (0.1, 0.9, 0.5), trials=300, window=window) < by_chance / 20


def test_it_finds_the_best_at_the_ends_of_ranges():
    assert search(lambda point: 2 - point[0] + point[1], (0.2, 0.8), trials=150) == pytest.approx(1, abs=0.01)


def test_one_number_is_enough():
    assert search(lambda point: abs(point[0] - 0.9), (0.1,), trials=80) < 0.01


def test_only_the_order_of_scores_counts():
    rng = random.Random(1)
    told = [Observation((rng.random(), rng.random()), float(rng.randrange(1000))) for _ in range(40)]
    stretched = [Observation(tell.point, tell.score**3) for tell in told]
    assert suggest_point((0.5, 0.5), told, seed=3, step=0.2) == suggest_point((0.5, 0.5), stretched, seed=3, step=0.2)


def test_a_rejected_point_counts_as_the_worst():
    rng = random.Random(2)
    told = [Observation((rng.random(), rng.random()), rng.random()) for _ in range(40)]
    worst = min(told, key=lambda tell: tell.score)
    rejected = [Observation(tell.point, None) if tell is worst else tell for tell in told]
    assert suggest_point((0.5, 0.5), told, seed=3, step=0.2) == suggest_point((0.5, 0.5), rejected, seed=3, step=0.2)


def test_when_its_points_lie_together_it_begins_anew_at_the_best_that_anybody_found():
    told = [Observation((0.2, 0.2), 1.0)] * 40
    found = [*told[:20], Observation((0.9, 0.9), 5.0, was_asked=False), *told[20:]]
    asked = [suggest_point((0.2, 0.2), found, seed=seed, step=0.01) for seed in range(10)]
    assert all(abs(place - 0.9) < 0.1 for point in asked for place in point)

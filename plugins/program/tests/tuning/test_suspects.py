"""Numbers that break a program whenever they change are found, and left alone."""

import random
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from evograft_program.tuning.suspects import find_free


@dataclass(frozen=True)
class Judged:
    point: tuple[float, ...]
    score: float | None


def search(dimensions, breaking, *, trials, seed=0):
    """What is free in the end, where a candidate is rejected if a breaking number changes."""
    rng, judged = random.Random(seed), []
    for _ in range(trials):
        free = find_free(dimensions, judged, rng)
        point = tuple(rng.choice((-1.0, 1.0)) if place in free else 0.0 for place in range(dimensions))
        judged.append(Judged(point, None if any(point[place] for place in breaking) else 1.0))
    return find_free(dimensions, judged, rng), judged


def test_all_numbers_change_while_nothing_is_rejected():
    free, _ = search(5, (), trials=5)
    assert free == set(range(5))


def test_one_rejected_candidate_accuses_nobody():
    assert find_free(3, [Judged((1.0, 1.0, 1.0), None)], random.Random(0)) == {0, 1, 2}


def test_a_number_that_was_changed_with_success_is_never_held():
    judged = [Judged((0.5, 0.0), 1.0)] + [Judged((2.0, 0.0), None)] * 9
    assert 0 in find_free(2, judged, random.Random(0))


@given(st.sets(st.integers(0, 9), max_size=3), st.integers(0, 1000))
def test_the_guilty_are_found_and_the_innocent_set_free(breaking, seed):
    free, judged = search(10, breaking, trials=60, seed=seed)
    assert free == set(range(10)) - breaking
    assert sum(each.score is None for each in judged) <= 35


def test_a_program_that_nothing_can_change_is_left_alone():
    free, _ = search(4, range(4), trials=60)
    assert free == set()

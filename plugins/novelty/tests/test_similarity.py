"""How like programs are that are not the same."""

import pytest

from evograft_novelty import normalise_tokens, shingles, similarity

PROGRAM = """
def improve(tour, distance):
    best = tour[:]
    for i in range(len(tour) - 1):
        for j in range(i + 1, len(tour)):
            gain = distance(tour[i], tour[j]) - distance(best[i], best[j])
            if gain > 0:
                best[i:j] = reversed(best[i:j])
    return best
"""


def likeness(one, other, language="python"):
    return similarity(*(shingles(normalise_tokens(source, language)) for source in (one, other)))


def test_a_changed_constant_leaves_programs_near():
    assert 0.8 < likeness(PROGRAM, PROGRAM.replace("gain > 0", "gain > 1")) < 1


def test_one_more_local_at_the_top_leaves_programs_near_though_all_numbers_change():
    more = PROGRAM.replace("    best = tour[:]\n", "    first = tour[0]\n    best = tour[:]\n")
    assert 0.8 < likeness(PROGRAM, more) < 1


def test_two_functions_in_another_order_leave_programs_near():
    other = "def other(a, b):\n    return a.weight / (b.weight + 1)\n"
    assert likeness(PROGRAM + other, other + PROGRAM) > 0.9


def test_programs_of_different_ideas_are_far():
    other = "import random\ndef improve(tour, distance):\n    random.shuffle(tour)\n    return sorted(tour, key=str)\n"
    assert likeness(PROGRAM, other) < 0.2


def test_a_repeated_run_counts_once():
    once = "for i in x: f(i, 1)\n"
    assert likeness(once * 3, once * 6) == 1


def test_empty_programs_are_alike_and_unlike_all_others():
    assert likeness("", "# nothing\n") == 1
    assert likeness("", PROGRAM) == 0


@pytest.mark.parametrize(("tokens", "runs"), [("", 0), ("a", 1), ("a b c d e", 1), ("a b c d e f", 2)])
def test_fewer_tokens_than_a_run_are_one_run(tokens, runs):
    assert len(shingles(tokens.split())) == runs


def test_a_run_may_have_any_length():
    assert len(shingles("abcd", size=1)) == 4
    assert len(shingles("abcd", size=3)) == 2

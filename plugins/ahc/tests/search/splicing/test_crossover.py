"""Crossover of functions and numbers."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_ahc.contests.practice import get_practice
from evograft_ahc.search.splicing.crossover import exchange_numbers, splice
from evograft_ahc.search.splicing.functions import read_functions
from evograft_ahc.search.tuning.tunable import read_tunable

MOTHER = """
#include <vector>
int limit = 3;
namespace tools { int twice(const std::vector<int>& v, int k = 2) { return k * v[0]; } }
struct Plan { int cost() const { return 1; } };
template <class T> T first(T a, T b) { return a; }
int main() { return limit; }
"""
FATHER = """
#include <vector>
int limit = 3;
namespace tools { int twice(const std::vector<int>& values, int factor) { return factor + values[0]; } }
struct Plan { int cost() const { return 2; } };
template <class T> T first(T a, T b) { return b; }
int main() { return limit; }
"""


def anything(source):
    return False


def children(mother, father, count=30):
    return {splice(random.Random(seed), mother, father, anything) for seed in range(count)}


def test_functions_are_told_apart_by_what_they_belong_to_and_take():
    ours, theirs = read_functions(MOTHER), read_functions(FATHER)
    assert set(ours.by_signature) == set(theirs.by_signature)
    assert len(ours.by_signature) == 4
    assert not ours.is_broken


def test_a_child_has_functions_of_both():
    found = children(MOTHER, FATHER)
    assert {child.count("2 * v") + child.count("k * v") for child in found} == {0, 1}
    assert any("return 2; }" in child and "return a;" in child for child in found)
    assert all("return limit" in child for child in found)
    assert MOTHER not in found


def test_all_of_the_fathers_functions_at_once_would_be_the_father():
    assert FATHER not in children(MOTHER, FATHER.replace("k = 2", "k"))


@pytest.mark.parametrize(
    "father",
    [
        MOTHER,
        MOTHER.replace("{ return a; }", "{\n  return a;\n}"),
        FATHER.replace("twice", "thrice").replace("cost() const", "cost()").replace("first(T a, T b)", "first(T a)"),
        "no program at all",
        "",
    ],
)
def test_without_another_function_of_equal_signature_there_is_no_child(father):
    assert splice(random.Random(0), MOTHER, father, anything) is None


def test_a_function_that_needs_what_the_mother_has_not_stays_where_it_is():
    father = MOTHER.replace("int main", "int helper() { return 4; }\nint main").replace("return 1;", "return helper();")
    assert splice(random.Random(0), MOTHER, father, anything) is None
    assert "helper" in splice(random.Random(0), MOTHER.replace("limit", "helper"), father, anything)


def test_overloads_of_one_signature_are_no_match():
    twice = "#if A\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n"
    assert read_functions(twice).by_signature == {}


def test_a_child_that_is_known_is_not_made_again():
    known = children(MOTHER, FATHER, 200)
    assert splice(random.Random(0), MOTHER, FATHER, known.__contains__) is None


def test_numbers_go_over_by_their_names():
    mother = read_tunable("const double A = 1.5, B = 2.5; const double C = 3.5; // evo-less")
    father = read_tunable("const double C = 7.5;\nconst double A = 6.5; const double D = 9.5;")
    found = {exchange_numbers(random.Random(seed), mother, father, anything) for seed in range(30)}
    assert found == {mother.write([a, 2.5, c]) for a in (1.5, 6.5) for c in (3.5, 7.5)} - {
        mother.write([1.5, 2.5, 3.5])
    }
    assert exchange_numbers(random.Random(0), mother, mother, anything) is None


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(0, 4500), st.integers(0, 60))
def test_whatever_the_father_lost_the_child_is_a_program(seed, start, length):
    mother = get_practice("practice001").start_program()
    father = mother[:start] + mother[start + length :]
    child = splice(random.Random(seed), mother, father, anything)
    if child is not None:
        assert child != mother
        assert not read_functions(child).is_broken
        assert set(read_functions(child).by_signature) == set(read_functions(mother).by_signature)

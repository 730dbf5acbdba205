"""What a formula's form says of graphs that nobody has looked at."""

import pytest

from evograft_graph_invariant.domain import count_unsafe
from evograft_graph_invariant.problem import program
from evograft_graph_invariant.program import Program
from evograft_graph_invariant.risks import count_risks
from evograft_graph_invariant.search.trees import tidy


def formula(expression):
    found = Program.parse(program(expression)).formula
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("expression", "steep"),
    [
        ("density(G) ** 3 * n(G) ** -3", 0),
        ("density(G) ** 3.01", 1),
        ("density(G) ** (-7.09) + 1e-06", 1),
        ("(density(G) ** 8) ** 0.25", 0),
        ("(density(G) ** 2) ** 2", 1),
        ("math.sqrt(density(G) ** 6)", 0),
        ("(density(G) ** 4 + n(G) ** 5) ** 0.5", 2),
        ("n(G) ** density(G)", 0),
    ],
)
def test_steep_powers_are_counted_and_a_power_of_a_power_is_one(expression, steep):
    assert count_unsafe(formula(expression)) == 0
    assert count_risks(formula(expression)) == steep


def test_a_sign_counts_the_same_as_it_is_read_and_as_the_search_writes_it():
    read = formula("density(G) ** -4")
    assert count_risks(read) == count_risks(tidy(read)) == 1


def test_what_may_be_undefined_and_what_is_steep_add_up():
    assert count_risks(formula("(0.45 - density(G)) ** 3.5")) == 2

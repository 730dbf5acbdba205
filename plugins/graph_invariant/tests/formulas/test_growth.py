"""Powers that are steep, whichever way they are written."""

import pytest

from evograft_graph_invariant.formulas.growth import count_steep
from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.search.trees import tidy


def formula(expression):
    found = CandidateProgram.parse(write_program(expression)).formula
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
    assert count_steep(formula(expression)) == steep


def test_a_sign_counts_the_same_as_it_is_read_and_as_the_search_writes_it():
    read = formula("density(G) ** -4")
    assert count_steep(read) == count_steep(tidy(read)) == 1

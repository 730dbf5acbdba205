import pytest

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.engine import find_violations
from evograft_graph_invariant.conjectures.table import load_table
from evograft_graph_invariant.conjectures.theorems.implication import close_properties, find_premises, load_theorems


@pytest.fixture(scope="module")
def small():
    return load_table(6, 0, folder=None)


def test_there_are_at_least_sixty_theorems_with_sources():
    theorems = load_theorems()
    assert len(theorems) >= 60
    assert all(each.source for each in theorems)
    assert len({each.inequality for each in theorems}) == len(theorems)


def test_no_graph_violates_a_theorem(small):
    assert [each for each in load_theorems() if len(find_violations(each.inequality, small))] == []


def test_every_theorem_is_sharp_on_a_small_graph_or_says_something(small):
    for each in load_theorems():
        rows = small.find_rows(each.inequality.hypothesis)
        assert rows.any()


def test_properties_that_follow_from_others_do_so_on_all_graphs(small):
    for name in small.properties:
        for other in close_properties([name]):
            assert (small.properties[other] | ~small.properties[name]).all(), (name, other)


def test_a_chain_of_theorems_implies_its_ends():
    known = [
        Inequality.parse("node_connectivity <= edge_connectivity"),
        Inequality.parse("edge_connectivity <= min_degree"),
    ]
    assert find_premises(Inequality.parse("node_connectivity <= min_degree"), known) == tuple(known)
    assert find_premises(Inequality.parse("node_connectivity <= min_degree + 1"), known) == tuple(known)


def test_a_theorem_of_trees_says_nothing_on_all_graphs():
    known = [Inequality.parse("m <= n - 1", ("tree",))]
    assert find_premises(Inequality.parse("m <= n - 1"), known) is None
    assert find_premises(Inequality.parse("m <= n", ("tree",)), known) == tuple(known)


def test_what_holds_for_all_numbers_has_no_premises():
    assert find_premises(Inequality.parse("n <= n + 1"), []) == ()

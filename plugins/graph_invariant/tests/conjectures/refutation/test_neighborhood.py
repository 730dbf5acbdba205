import numpy as np

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.engine import find_violations
from evograft_graph_invariant.conjectures.refutation.neighborhood import NeighborhoodSearch


def search(statement, hypothesis=(), budget=120):
    inequality = Inequality.parse(statement, hypothesis)
    return inequality, NeighborhoodSearch(inequality, np.random.default_rng(7), budget=budget).run()


def test_a_false_bound_is_violated_by_the_graph_that_is_found():
    inequality, outcome = search("m <= 3 * n")
    assert outcome.counterexample is not None
    assert len(find_violations(inequality, outcome.counterexample)) == 1


def test_the_search_climbs_where_no_start_is_a_counterexample():
    _, outcome = search("triangles <= 14", ("planar",), budget=2000)
    assert outcome.counterexample is not None
    assert outcome.counterexample.properties["planar"].all()


def test_a_theorem_survives_and_the_graphs_are_counted():
    _, outcome = search("radius <= diameter", ("bipartite",))
    assert outcome.counterexample is None
    assert set(outcome.looked_at) == {"10", "12", "14", "20", "30"}
    assert all(outcome.looked_at.values())


def test_equal_seeds_look_at_equal_graphs():
    assert (
        search("radius <= n / 2", ("claw_free",))[1].looked_at == search("radius <= n / 2", ("claw_free",))[1].looked_at
    )

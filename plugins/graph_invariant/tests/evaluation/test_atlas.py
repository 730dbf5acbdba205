"""The score's part for all connected graphs of two to seven nodes."""

from __future__ import annotations

import numpy as np
import pytest

from evograft_graph_invariant.evaluation.data_splits import ATLAS, SPECIAL_TOPOLOGY
from evograft_graph_invariant.plugin import GraphInvariantPlugin

GENTLE = "(1 - density(G)) / (0.1 + two_hop_share(G))"
STEEP = "two_hop_share(G) ** 7.26 * (density(G) ** 6.29 + 2.15e-06) * algebraic_connectivity(G)"
"""The formula that seed 7 of the preset found without the atlas: it breaks on special topologies."""

EXACT_WHERE_SMALL = """def new_invariant(G):
    if len(G) > 7:
        return (1 - density(G)) / two_hop_share(G)
    total = 0
    for start in G:
        seen, front, distance = {start}, [start], 0
        while front:
            total += distance * len(front)
            front = list({v for u in front for v in G[u]} - seen)
            seen.update(front)
            distance += 1
    return total / (len(G) * (len(G) - 1))
"""


@pytest.fixture(scope="module")
def weighed(make_bench):
    return make_bench(atlas_weight=0.1, train=10, validation=50)


def test_the_score_counts_the_atlas_with_its_weight(weighed, make_bench):
    without = make_bench(train=10, validation=50).evaluate(GENTLE)
    found = weighed.evaluate(GENTLE)
    assert found.metrics["atlas_rho"] > 0.9
    assert found.score == pytest.approx(without.score + 0.1 * found.metrics["atlas_rho"])
    assert "atlas_rho" not in without.metrics


def test_a_formula_that_breaks_elsewhere_has_less_of_it(weighed):
    gentle, steep = weighed.evaluate(GENTLE), weighed.evaluate(STEEP)
    assert steep.metrics["atlas_rho"] < gentle.metrics["atlas_rho"] - 0.05


def test_a_graph_without_a_value_counts_as_missing(weighed):
    everywhere, somewhere = weighed.evaluate("density(G)"), weighed.evaluate("1 / (1 - density(G))")
    complete = 6 / 995
    assert somewhere.metrics["atlas_rho"] < everywhere.metrics["atlas_rho"]
    assert somewhere.metrics["atlas_rho"] == pytest.approx(everywhere.metrics["atlas_rho"], abs=2 * complete)


def test_an_order_that_turns_around_on_small_graphs_counts_against_a_formula(weighed):
    found = weighed.evaluate("density(G) if n(G) > 7 else -density(G)")
    assert found.metrics["atlas_rho"] < -0.9


def test_a_program_has_the_same_atlas_rho_as_the_formula_that_it_computes(weighed):
    program = "def new_invariant(G):\n    parts = [1 - density(G)]\n    return parts[0] / (0.1 + two_hop_share(G))\n"
    assert weighed.evaluate(program).metrics["atlas_rho"] == weighed.evaluate(GENTLE).metrics["atlas_rho"]


def test_a_program_that_is_exact_on_the_atlas_only_is_refused(weighed):
    assert "leak: on the set atlas" in weighed.rejection(EXACT_WHERE_SMALL)


def test_equal_eigenvalues_that_rounding_tells_apart_are_equal(make_bench):
    bench = make_bench(target="algebraic_connectivity", atlas_weight=0.1, train=10, validation=50)
    atlas = bench.plugin._context_for(bench.problem).search.weighed["atlas"]
    of_trees_and_more = np.isclose(atlas.table.target, 1.0, rtol=1e-9)
    assert len(set(atlas.table.target[of_trees_and_more])) > 1
    assert len(set(atlas._rounded[of_trees_and_more])) == 1


def test_the_specified_score_leaves_it_out():
    assert not GraphInvariantPlugin.Options(objective="total", atlas_weight=0.1).weighs_atlas


def test_runs_from_before_there_was_such_a_term_keep_their_rule():
    assert not GraphInvariantPlugin.Options().weighs_atlas


def test_no_graph_that_is_judged_is_in_the_atlas(weighed):
    tables = weighed.plugin._context_for(weighed.problem).search.tables
    assert len(tables.load_graphs(ATLAS)) == 995
    assert max(tables.load_graphs(ATLAS).sizes) == 7 < min(tables.load_graphs(SPECIAL_TOPOLOGY).sizes)

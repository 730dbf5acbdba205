"""Bounds: their score leads to valid ones, then to tight ones; small graphs find what random ones do not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evograft_graph_invariant.evaluation.bounds.final_evaluator import find_counterexample
from evograft_graph_invariant.evaluation.bounds.gaps import TOLERANCE, Gaps, compute_bound_score, measure_gaps
from evograft_graph_invariant.evaluation.data_splits import ATLAS
from evograft_graph_invariant.graphs.datasets import load_distances, load_set

sides = st.sampled_from(["upper", "lower"])
vectors = st.lists(st.floats(0.01, 100), min_size=2, max_size=12).map(np.array)


@pytest.fixture(scope="module")
def atlas():
    return load_set(ATLAS, 0, folder=None)


@pytest.fixture(scope="module")
def distances(atlas):
    return load_distances(ATLAS, 0, atlas, folder=None)


def test_the_atlas_holds_all_connected_graphs_of_two_to_seven_nodes(atlas):
    sizes, counts = np.unique(atlas.sizes, return_counts=True)
    assert dict(zip(sizes.tolist(), counts.tolist(), strict=True)) == {2: 1, 3: 2, 4: 6, 5: 21, 6: 112, 7: 853}


def test_distances_are_one_at_least_on_every_small_graph(atlas, distances):
    gaps = measure_gaps(np.ones(len(atlas)), distances["average_shortest_path_length"], "lower")
    assert gaps.holds
    assert find_counterexample(gaps, atlas) is None
    complete = np.array(atlas.columns["density"]) == 1
    assert np.array_equal(np.abs(gaps.gap) < TOLERANCE, complete)


def test_known_bounds_hold_on_every_small_graph(atlas, distances):
    columns, mean = atlas.columns, distances["average_shortest_path_length"]
    assert measure_gaps(2 - columns["density"], mean, "lower").holds
    assert measure_gaps((columns["n"] + 1) / 3, mean, "upper").holds
    assert measure_gaps(
        columns["min_degree"] * columns["n"] / (columns["n"] - 1), columns["algebraic_connectivity"], "upper"
    ).holds


def test_the_smallest_graph_that_violates_a_bound_is_named_with_its_edges(atlas, distances):
    mean = distances["average_shortest_path_length"]
    found = find_counterexample(measure_gaps(np.full(len(atlas), 1.5), mean, "upper"), atlas)
    assert found is not None
    name, _, edges = found.partition(": 4 nodes, edges ")
    pairs = [tuple(map(int, pair.split("-"))) for pair in edges.split()]
    assert nx.average_shortest_path_length(nx.Graph(pairs)) > 1.5
    assert nx.is_isomorphic(nx.Graph(pairs), nx.graph_atlas(int(name.removeprefix("atlas "))))


@given(vectors, st.floats(0, 5), sides)
def test_a_bound_that_lies_on_its_side_is_valid_and_the_tighter_the_better(target, distance, side):
    away = 1 if side == "upper" else -1
    near, far = (measure_gaps(target + away * d * target, target, side) for d in (distance, distance + 1))
    assert near.holds
    assert near.mean_gap == pytest.approx(distance)
    assert near.tightness == pytest.approx(1 / (1 + distance))
    assert far.tightness < near.tightness <= 1


@given(vectors, st.data(), sides)
def test_every_valid_bound_scores_above_every_other(target, data, side):
    values = np.array(data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(target), max_size=len(target))))
    gaps = measure_gaps(values, target, side)
    score = compute_bound_score(gaps, tightness=gaps.tightness, cost=data.draw(st.floats(0, 10)))
    assert -1 <= score <= 1
    assert (score > 0) == gaps.holds
    assert (score < 0) == (gaps.worst > 0)


@given(vectors, st.floats(0.01, 10), sides)
def test_violations_that_shrink_or_become_fewer_score_better(target, size, side):
    wrong = -1 if side == "upper" else 1
    everywhere, smaller = (measure_gaps(target + wrong * s * target, target, side) for s in (size, size / 2))
    fewer = Gaps(np.append(everywhere.gap[:-1], 0.0))
    scores = [compute_bound_score(gaps, tightness=1.0, cost=0.0) for gaps in (everywhere, smaller, fewer)]
    assert scores[0] < scores[1] < 0
    assert scores[0] < scores[2] < 0
    assert everywhere.worst == pytest.approx(size)


def test_rounding_is_no_violation_and_no_value_is_the_worst():
    target = np.array([3.0, 1e6])
    assert measure_gaps(target * (1 - TOLERANCE / 2), target, "upper").holds
    assert not measure_gaps(target * (1 - 2 * TOLERANCE), target, "upper").holds
    nothing = measure_gaps(np.array([np.nan, np.inf]), target, "upper")
    assert nothing.violated.all()
    assert nothing.wrongness == 1.0
    assert nothing.worst == np.inf


@pytest.fixture(scope="module")
def lower(make_bench):
    return make_bench(mode="lower", test=10, large=5, extreme=4)


def test_a_search_for_bounds_scores_valid_ones_by_tightness(lower):
    found = lower.evaluate("2 - density(G)")
    assert found.metrics["valid"] == 1
    parsimony = lower.plugin.options.parsimony
    assert found.score == pytest.approx(found.metrics["tightness"] / (1 + parsimony * found.metrics["ast_nodes"]))
    tighter = lower.evaluate("3 - 2 * density(G) - two_hop_share(G)")
    assert tighter.metrics["valid"] == 1
    assert tighter.score > found.score


def test_a_bound_of_random_graphs_that_small_ones_violate_is_not_valid(lower):
    wrong = lower.evaluate("1 + 1e-6 * n(G)")
    seen = lower.plugin._run_context.search.table.all.count + 995
    assert 995 * wrong.metrics["atlas_violated"] == pytest.approx(6)  # the complete graphs of two to seven nodes
    assert seen * wrong.metrics["violated"] == pytest.approx(6)
    assert -1 < wrong.score < 0
    assert "no lower bound" in wrong.feedback


def test_programs_are_asked_about_small_graphs_too(lower):
    loop = "def new_invariant(G):\n    x = 2\n    for y in [density(G)]:\n        x -= y\n    return x"
    run, interpreted = lower.evaluate(loop).metrics, lower.evaluate("2 - density(G)").metrics
    for name in ("valid", "atlas_violated", "tightness"):
        assert run[name] == pytest.approx(interpreted[name])


def test_the_target_itself_is_no_bound_but_a_leak(lower):
    source = (
        "def new_invariant(G):\n    total = 0\n    for s in G:\n        seen, front, d = {s}, [s], 0\n"
        "        while front:\n"
        "            total += d * len(front)\n            front = list({v for u in front for v in G[u]} - seen)\n"
        "            seen.update(front)\n            d += 1\n    return total / len(G) / (len(G) - 1)"
    )
    assert "leak" in lower.rejection(source)


def test_the_final_judgement_of_a_bound_ends_with_lines_of_a_fixed_form(lower):
    final = lower.evaluate("2 - density(G)", purpose="final")
    lines = final.feedback.splitlines()
    assert lines[-3:] == [
        "bound holds = yes",
        f"test tightness = {final.metrics['test_tightness']:.4f}",
        "AST nodes = 9",
    ]
    assert "counterexample among all connected graphs of up to 7 nodes: none" in lines
    assert lines[0] == "lower bound  average_shortest_path_length >= 2 - density"
    assert final.metrics["atlas_violated"] == 0
    assert 0 < final.score < 1


def test_a_bound_that_breaks_is_reported_with_a_counterexample(lower):
    final = lower.evaluate("1.2 + 1e-9 * density(G)", purpose="final")
    assert "bound holds = no" in final.feedback
    assert "counterexample among all connected graphs of up to 7 nodes: atlas 3: 2 nodes, edges 0-1" in final.feedback
    assert final.score < 0


def test_the_problem_says_which_bound_is_asked_for(lower):
    assert "lower bound" in lower.problem.statement
    assert "lower bound" in lower.problem.objective

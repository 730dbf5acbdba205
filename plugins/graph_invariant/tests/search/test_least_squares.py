"""Least squares within the search: they find what was hidden, and agree with plain regression."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.formulas.program import CandidateProgram, write_program
from evograft_graph_invariant.options import ExploreOptions, GraphInvariantOptions
from evograft_graph_invariant.run_context import RunContext
from evograft_graph_invariant.scoring.correlation import center
from evograft_graph_invariant.search.budget import EvaluationBudget
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.least_squares import Slope, StraightForm
from evograft_graph_invariant.search.trees import to_source
from evograft_graph_invariant.search.values import compute_values

GRAPHS = 40


def rows(seed, count):
    return np.random.default_rng(seed).normal(size=(count, GRAPHS))


def straight(values, target, *, is_logarithm=False):
    return StraightForm(values, center(target), is_logarithm=is_logarithm)


@given(st.integers(0, 1000), st.floats(0.01, 100) | st.floats(-100, -0.01))
@settings(deadline=None)
def test_the_amount_that_was_left_out_is_found_again(seed, amount):
    whole, direction, other = rows(seed, 3)
    slope = Slope(straight(whole, whole + amount * direction), np.ones(GRAPHS))
    assert slope.amounts(np.stack([direction, 2 * direction, other]))[:2] == pytest.approx(
        [amount, amount / 2], rel=1e-6
    )


@given(st.integers(0, 1000))
@settings(deadline=None)
def test_amounts_are_those_of_a_regression_on_the_whole_and_what_a_change_does_to_it(seed):
    whole, target, direction, by_part = rows(seed, 4)
    (amount,) = Slope(straight(whole, target), by_part).amounts(direction[None])
    table = np.stack([np.ones(GRAPHS), whole, direction * by_part], axis=1)
    _, along, beside = np.linalg.lstsq(table, center(target), rcond=None)[0]
    assert amount == pytest.approx(beside / along, rel=1e-6)


def test_a_direction_that_the_whole_covers_already_has_no_amount():
    whole, target = rows(1, 2)
    slope = Slope(straight(whole, target), np.ones(GRAPHS))
    assert np.isnan(slope.amounts(np.stack([3 * whole + 1, np.ones(GRAPHS)]))).all()


def test_a_slope_that_is_infinite_somewhere_is_none():
    whole, target = rows(1, 2)
    beyond = whole.copy()
    beyond[3] = np.inf
    assert Slope.between(straight(whole, target), whole, beyond, distance=0.1) is None
    assert Slope.between(straight(whole, target), whole, whole + 1, distance=0.0) is None


def test_the_slope_of_a_logarithm_is_relative():
    part, target = np.abs(rows(2, 2)) + 1
    seen = straight(np.log(part**2), target, is_logarithm=True)
    slope = Slope.between(seen, (part - 1e-4) ** 2, (part + 1e-4) ** 2, distance=2e-4)
    assert slope is not None
    assert slope.by_part == pytest.approx(2 / part)


def test_what_a_line_leaves_is_shortest_for_the_best_line():
    whole, target = rows(3, 2)
    seen = straight(whole, target)
    _, residual, *_ = np.polyfit(whole, center(target), 1, full=True)
    assert (seen.residual(5 * whole - 2) ** 2).sum() == pytest.approx(residual[0])
    assert np.array_equal(seen.residual(np.full(GRAPHS, np.nan)), seen.target)


@pytest.fixture(scope="module")
def explorer():
    options = GraphInvariantOptions(
        master_seed=7, train=10, validation=50, explore=ExploreOptions(slice=600, least_squares=True)
    )
    bench = RunContext(options, 7)
    yield bench.explorer
    bench.close()


def read(expression):
    return CandidateProgram.parse(write_program(expression)).formula


@pytest.mark.parametrize(("values", "is_logarithm"), [("target", False), ("exp", True), ("negative", False)])
def test_the_straighter_form_is_taken(explorer, values, is_logarithm):
    target = explorer.objective.table.all.target
    found = explorer.objective.straighten(
        {"target": target, "exp": np.exp(5 * target), "negative": -1 / target}[values]
    )
    assert found.is_logarithm == is_logarithm
    assert np.linalg.norm(found.residual(np.exp(found.values) if is_logarithm else found.values)) < 1e-6


def test_nothing_is_straightened_that_is_constant_or_undefined(explorer):
    target = explorer.objective.table.all.target
    assert explorer.objective.straighten(np.ones_like(target)) is None
    assert explorer.objective.straighten(np.where(target > target[0], np.inf, target)) is None


def test_pieces_are_joined_by_their_amounts_at_any_place(explorer):
    """Whatever place it is: with the amount put in, the whole is straighter than without."""
    start = read("(1 - density(G)) / math.sqrt(two_hop_share(G))")
    for path, part in ((0,), start.arguments[0]), ((1, 0), start.arguments[1].arguments[0]):
        slope = explorer._slope(start, path, part)
        values = compute_values(part, explorer.columns)
        amount = slope.amounts(explorer.columns["normalized_connectivity"][None])[0]
        fragments = explorer.replacements.find(random.Random(1), part, (), slope, count=600, most=29)
        assert f"{abs(amount):.3g} * normalized_connectivity(G)" in " ".join(map(to_source, fragments.exprs))
        assert fragments.rows.shape == (len(fragments), len(values))
        for expr, row in zip(fragments.exprs, fragments.rows, strict=True):
            with np.errstate(all="ignore"):
                assert row == pytest.approx(compute_values(expr, explorer.columns), nan_ok=True)


def test_least_squares_find_numbers_within_a_few_looks(explorer):
    far = read("two_hop_share(G) ** 2 - 3 * density(G)")
    score = explorer.objective.score(far)
    fitted, better = fit_constants(far, score, explorer.objective, EvaluationBudget(20), most=29)
    assert better > score + 0.001
    assert explorer.objective.score(fitted) == better


def test_more_numbers_than_graphs_are_left_to_the_simplex(explorer):
    many = read(" + ".join(f"{i + 1.5} * density(G) ** {i / 7 + 0.1:.3g}" for i in range(31)))
    score = explorer.objective.score(many)
    assert fit_constants(many, score, explorer.objective, EvaluationBudget(400), most=1000)[1] >= score

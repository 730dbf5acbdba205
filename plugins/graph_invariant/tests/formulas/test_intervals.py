"""A formula that is said to be defined everywhere is, wherever its columns lie within their bounds."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.formulas.interpreter import evaluate_columns
from evograft_graph_invariant.formulas.intervals import _bounds, count_unsafe
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.graphs.features import compute_columns
from evograft_graph_invariant.graphs.vocabulary import COLUMNS

NAMES = [column.name for column in COLUMNS]


def formula(expression):
    found = CandidateProgram.parse(f"def new_invariant(G):\n    return {expression}\n").formula
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("expression", "unsafe"),
    [
        ("(1 - density(G)) / math.sqrt(two_hop_share(G))", 0),
        ("math.sqrt(0.45 - density(G))", 1),
        ("(density(G) / (mean_resistance(G) + 0.45 - density(G))) ** 0.5", 2),
        ("math.log(n(G)) / math.log(average_degree(G) + 1)", 0),
        ("1 / degree_assortativity(G)", 1),
        ("math.log(degree_assortativity(G) + 1)", 0),
        ("math.log1p(degree_assortativity(G) - 1)", 1),
        ("(density(G) - 2) ** 2 + (density(G) - 2) ** 3", 0),
        ("(density(G) - 2) ** 0.5", 1),
        ("(degree_assortativity(G) ** 2 + 0.1) ** -1", 0),
        ("degree_assortativity(G) ** -1", 1),
        ("1 / (0 * n(G))", 1),
        ("math.sqrt(abs(degree_assortativity(G))) + math.exp(n(G))", 0),
        ("1 / min(n(G), 3) + math.sqrt(max(degree_assortativity(G), 0))", 0),
    ],
)
def test_operations_that_may_leave_their_domain_are_counted(expression, unsafe):
    assert count_unsafe(formula(expression)) == unsafe


def expressions():
    leaves = st.sampled_from(NAMES).map("{}(G)".format) | st.integers(-300, 300).map(lambda k: f"({k / 100})")

    def grow(inner):
        binary = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        power = st.tuples(inner, st.sampled_from(["2", "3", "0.5", "-1", "-0.5"])).map(lambda t: f"({t[0]}) ** {t[1]}")
        called = st.tuples(st.sampled_from(["math.sqrt", "math.log", "math.log1p", "abs", "math.tanh"]), inner)
        return binary | power | called.map(lambda t: f"{t[0]}({t[1]})")

    return st.recursive(leaves, grow, max_leaves=6)


def parts(expr):
    yield expr
    for argument in expr.arguments:
        yield from parts(argument)


@settings(max_examples=400, deadline=None)
@given(expressions(), st.data())
def test_within_the_bounds_of_the_columns_a_safe_formula_has_a_value_between_its_bounds(expression, data):
    expr = formula(expression)
    point = {
        column.name: np.array([data.draw(st.floats(column.low + 0.01, min(column.high, column.low + 50) - 0.01))])
        for column in COLUMNS
    }
    # What is exactly zero is the edge case that bounds leave open.
    assume(all(evaluate_columns(part, point, 1).values[0] != 0 for part in parts(expr)))
    interval, unsafe = _bounds(expr)
    value = evaluate_columns(expr, point, 1).values[0]
    if unsafe == 0:
        assert math.isfinite(value)
        slack = 1e-6 * (1 + abs(value))
        assert interval[0] - slack <= value <= interval[1] + slack


def test_every_column_of_every_small_connected_graph_lies_within_its_bounds():
    for graph in nx.graph_atlas_g()[3:]:
        if graph.number_of_nodes() < 2 or not nx.is_connected(graph):
            continue
        found = compute_columns(graph.number_of_nodes(), np.array(graph.edges))
        for column in COLUMNS:
            assert column.low - 1e-9 <= found[column.name] <= column.high + 1e-9, (column.name, graph.edges)

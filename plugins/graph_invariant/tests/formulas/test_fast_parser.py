"""What is read without Python's parser is read as with it, and what it takes more to read is left to it."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.formulas.fast_parser import LONGEST, parse_line
from evograft_graph_invariant.formulas.parser import UNARY_FUNCTIONS, parse_expression
from evograft_graph_invariant.formulas.program import write_program
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES

columns = st.sampled_from(COLUMN_NAMES).map("{}(G)".format)
constants = st.one_of(st.integers(0, 10**15 - 1), st.floats(0, 1e300)).map(repr)
calls = st.sampled_from(["abs", *(f"math.{name}" for name in sorted(UNARY_FUNCTIONS))])


def grow(inner):
    operators = st.sampled_from(["+", " - ", " * ", "/", " ** ", "**"])
    return st.one_of(
        st.tuples(inner, operators, inner).map("".join),
        st.tuples(calls, inner).map(lambda t: f"{t[0]}({t[1]})"),
        inner.map("({})".format),
        inner.map("-{}".format),
    )


lines = st.recursive(columns | constants, grow, max_leaves=12).filter(lambda line: len(line) < LONGEST)

SYMBOLS = (
    *("density(G)", "n(G)", "G", "(G)", "x(G)", "math.log(", "abs(", "math.", "log(", "np.exp(", "min(", "not "),
    *("(", ")", "-", "+", "*", "**", "/", "//", ",", ".", " ", "_", "e", "j", "#", ";", "\n", "\t", "\\", "π", "²"),
    *("0", "1", "12", "007", "0.5", "1.", ".5", "1e5", "2E-3", "1e999", "9" * 20, "9" * 250, "0x1", "1_0"),
)


@pytest.mark.long
@given(lines)
@settings(max_examples=1500, deadline=None)
def test_every_line_of_the_usual_kind_is_read_as_python_reads_it(line):
    assert parse_line(write_program(line)) == parse_expression(ast.parse(write_program(line)))


@pytest.mark.long
@given(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=9).map("".join))
@settings(max_examples=5000, deadline=None)
def test_nothing_is_read_that_python_reads_otherwise_or_refuses(line):
    found = parse_line(write_program(line))
    assert found is None or found == parse_expression(ast.parse(write_program(line)))


@pytest.mark.parametrize(
    "source",
    [
        write_program("1 + unknown(G)"),
        write_program("average_shortest_path_length(G)"),
        write_program("density(H)"),
        write_program("density (G)"),
        write_program("density(G) 2"),
        write_program("1 2"),
        write_program("1. 5"),
        write_program("2 * * density(G)"),
        write_program("007 * density(G)"),
        write_program("9" * 250 + " * density(G)"),
        write_program("+density(G)"),
        write_program("max(density(G), 1)"),
        write_program("math.pi * density(G)"),
        write_program("density(G) # two"),
        write_program("density(G); 1"),
        write_program("(density(G)"),
        write_program("density(G))"),
        write_program("density(G)\n    + 1"),
        write_program("(" * 250 + "density(G)" + ")" * 250),
        write_program("-" * LONGEST + "density(G)"),
        write_program(""),
        "def new_invariant(H):\n    return density(H)\n",
        "def new_invariant(G):\n    x = 1\n    return density(G)\n",
        "x = 1\ndef new_invariant(G):\n    return density(G)\n",
    ],
)
def test_what_it_takes_more_to_read_is_left_to_python(source):
    assert parse_line(source) is None


@pytest.mark.parametrize("line", ["(" * 145 + "n(G)" + ")" * 145, "-" * 94 + "n(G)"])
def test_the_deepest_lines_are_scored(bench, line):
    assert parse_line(write_program(line)) is not None
    assert abs(bench.evaluate(line).metrics["train_rho"]) == abs(bench.evaluate("n(G)").metrics["train_rho"])


def test_a_line_that_is_deeper_is_refused_as_any_program_is(bench):
    for depth in range(95, 101):
        assert "nested more than 100 levels deep" in bench.rejection("-" * depth + "n(G)")

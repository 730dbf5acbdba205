"""Candidates as one expression: the same values, the size of the whole, and a reason where there is none."""

from __future__ import annotations

import ast
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.formulas.inlining import inline
from evograft_graph_invariant.formulas.parser import MAX_NODES
from evograft_graph_invariant.formulas.program import CandidateProgram
from evograft_graph_invariant.scoring.simplicity import Simplifier

GRAPHS = [nx.karate_club_graph(), nx.path_graph(7), nx.star_graph(5), nx.complete_graph(6), nx.cycle_graph(9)]


def run(source, graph):
    names = {"math": math, "np": np, "nx": nx}
    exec(source, names)
    return names["new_invariant"](graph)


def inlined(source):
    found = inline(ast.parse(source))
    assert found.note == ""
    return found


def function(*lines):
    return "def new_invariant(G):\n" + "".join(f"    {line}\n" for line in lines)


WHOLE = [
    (
        function("n = len(G)", "m = G.number_of_edges()", "estimate = 2 * m / n", "return estimate"),
        "2 * G.number_of_edges() / len(G)",
    ),
    (function("n = len(G)", "n += 1", "n: float = n * n", "return n"), "(len(G) + 1) * (len(G) + 1)"),
    (function("a, b = len(G), 2", "a, b = b, a", "return a - b"), "2 - len(G)"),
    (function("if len(G) > 8:", "    return 1.5", "return len(G)"), "1.5 if len(G) > 8 else len(G)"),
    (
        function("n = len(G)", "if n > 8:", "    k = 2", "else:", "    k = n", "return k * n"),
        "(2 if len(G) > 8 else len(G)) * len(G)",
    ),
    (function("a, b = 1, len(G)", "if b > 8:", "    a = b", "else:", "    a = b", "return a"), "len(G)"),
    (
        "def half(x, by=2):\n    '''Halves.'''\n    return x / by\n" + function("return half(len(G)) + half(3, by=4)"),
        "len(G) / 2 + 3 / 4",
    ),
    (
        "import math\nSCALE = 0.5\ndef mean(H):\n    return 2 * H.number_of_edges() / len(H)\n"
        + function("return mean(G) ** SCALE"),
        "(2 * G.number_of_edges() / len(G)) ** 0.5",
    ),
    (
        function("degrees = [d for _, d in G.degree()]", "return sum(degrees) / len(degrees)"),
        "sum([d for _, d in G.degree()]) / len([d for _, d in G.degree()])",
    ),
    (
        "def spread(d):\n    return sum(x - d for x in (1, 2))\n"
        + function("return sum(spread(x) for x in range(len(G)))"),
        "sum((sum((x_1 - x for x_1 in (1, 2))) for x in range(len(G))))",
    ),
    (function("d = len(G)", "return sum(d for d in range(d)) + d"), "sum((d for d in range(len(G)))) + len(G)"),
    (function("x = len(G)", "y = [x * v for x in (1, 2) for v in (x, x + 1)]", "return sum(y) + x"), None),
    (function("x = sum(y for y in (1, 2))", "return max(x * z for z in (3, len(G)))"), None),
]


@pytest.mark.parametrize(("source", "text"), WHOLE)
def test_a_program_becomes_one_expression_with_the_same_values(source, text):
    expected = [run(source, graph) for graph in GRAPHS]
    found = inlined(source)
    assert text is None or found.text == text
    assert [run(function(f"return {found.text}"), graph) for graph in GRAPHS] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["x = 0", "for v in G:", "    x += 1", "return x"], "For is no assignment"),
        (["x = []", "y = x.append(1)", "return len(x)"], "append changes"),
        (["x = (v for v in G)", "return sum(x) + sum(x)"], "only once"),
        (["x = zip(G, G)", "return len(list(x))"], "only once"),
        (["if len(G) > 3:", "    x = 1", "return x"], "x is not always assigned"),
        (["if len(G) > 3:", "    return 1"], "without a return"),
        (["f = lambda x: x", "return f(1)"], "lambda"),
        (["return (y := len(G)) + y"], "within an expression"),
        (["x = {}", "x[1] = 2", "return len(x)"], "assignment to x[1]"),
        (["return new_invariant(G)"], "calls itself"),
        (["try:", "    return 1", "except ValueError:", "    return 2"], "Try is no assignment"),
        (["x = [len(G)]", *["x = x + x"] * 30, "return len(x)"], "more than 2000 nodes"),
    ],
)
def test_what_is_no_single_expression_counts_with_its_whole_body_and_says_why(lines, reason):
    source = function('"""Words."""', *lines)
    found = inline(ast.parse(source))
    assert found.expression is None
    assert found.note.startswith("not inlined: ")
    assert reason in found.note
    statements = ast.parse(source).body[0].body[1:]
    assert found.nodes == sum(1 for statement in statements for _ in ast.walk(statement))
    assert found.text == "; ".join(map(ast.unparse, statements))


names = st.sampled_from(["a", "b", "c"])
atoms = st.one_of(names, st.sampled_from(["len(G)", "G.number_of_edges()", "2", "0.5"]))
terms = st.one_of(
    atoms,
    st.tuples(atoms, st.sampled_from("+-*"), atoms).map(" ".join),
    st.tuples(atoms, names).map(lambda pair: f"sum({pair[0]} * {pair[1]} for {pair[1]} in (1, 3))"),
    st.tuples(names, atoms).map(lambda pair: f"sum([{pair[0]} for {pair[0]} in (2, {pair[1]})])"),
    atoms.map("f({})".format),
)
simple = st.one_of(
    st.tuples(names, terms).map(" = ".join),
    st.tuples(names, st.sampled_from(["+=", "-="]), terms).map(" ".join),
)
lines = st.one_of(
    simple.map(lambda line: [line]),
    st.tuples(atoms, simple, simple).map(lambda t: [f"if {t[0]} > 5:", f"    {t[1]}", "else:", f"    {t[2]}"]),
    st.tuples(atoms, terms).map(lambda t: [f"if {t[0]} > 7:", f"    return {t[1]}"]),
)


@given(terms, st.lists(lines, max_size=5), terms)
@settings(max_examples=300, deadline=None)
def test_inlining_preserves_values_on_graphs(helper, body, last):
    helper = helper.replace("f(", "abs(").replace("G.number_of_edges()", "4").replace("len(G)", "c")
    source = f"def f(c):\n    a, b = 1, c\n    return {helper}\n"
    source += function("a, b, c = 1, 2, 3", *(line for each in body for line in each), f"return {last}")
    found = inline(ast.parse(source))
    assume(f"more than {MAX_NODES} nodes" not in found.note)  # a variable squared in five branches in a row
    assert found.note == ""
    for graph in GRAPHS[:3]:
        assert run(function(f"return {found.text}"), graph) == pytest.approx(run(source, graph))


def test_a_formula_has_the_same_size_whichever_way_it_is_read():
    source = function("x = density(G)", "return (1 - x) / math.sqrt(two_hop_share(G)) + x")
    program = CandidateProgram.parse(source)
    assert program.formula is not None
    assert program.ast_nodes == inlined(source).nodes


def test_return_estimate_is_not_a_formula_of_one_word():
    program = CandidateProgram.parse(
        function("degrees = [d for _, d in G.degree()]", "estimate = max(degrees) - min(degrees)", "return estimate")
    )
    assert program.formula is None
    assert program.ast_nodes > 20


@pytest.fixture(scope="module")
def simplifier():
    found = Simplifier()
    yield found
    found.close()


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["x = [len(G)][0]", "return x + x - 3 * x"], "-[len(G)][0]"),
        (["n = len(G)", "x = max([d for _, d in G.degree()])", "return n * x / n"], "max([d for _, d in G.degree()])"),
        (
            ["x = len(set(G))", "return math.sqrt(x * x) if x > 3 else x + x"],
            "where((len(set(G)) > 3), Abs(len(set(G))), 2*len(set(G)))",
        ),
    ],
)
def test_sympy_simplifies_around_what_it_has_no_word_for(simplifier, lines, text):
    program = CandidateProgram.parse(function(*lines))
    assert program.formula is None
    assert simplifier.simplify(program).text == text
    assert simplifier.simplify(program).note == ""


def test_what_is_not_inlined_is_not_simplified_and_says_so(simplifier):
    program = CandidateProgram.parse(function("x = 0", "for v in G:", "    x += 1", "return x"))
    found = simplifier.simplify(program)
    assert found.text == "x = 0; for v in G:\n    x += 1; return x"
    assert "not inlined: For" in found.note

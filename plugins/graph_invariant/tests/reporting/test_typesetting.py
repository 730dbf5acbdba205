"""Typeset formulas are worth what their text is worth."""

import math
import shutil
import sys
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evograft_graph_invariant.formulas.sympy_worker import build_formula
from evograft_graph_invariant.reporting.typesetting import MOST, tree_of_text, typeset
from evograft_graph_invariant.reporting.typesetting_worker import print_formula

COLUMNS = {"density": 0.37, "n": 40.0, "average_degree": 5.1}
FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "abs": abs, "max": max, "min": min}

leaves = st.sampled_from([*COLUMNS, "2", "0.5", "1.2345", "(-0.333)"])
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("({}**{})".format, inner, st.sampled_from(["2", "0.5", "(-1)", "(-1.5)"])),
        st.builds("(-{})".format, inner),
        st.builds("sqrt(abs({}))".format, inner),
        st.builds("log(1 + abs({}))".format, inner),
        st.builds("max({}, {})".format, inner, inner),
    ),
    max_leaves=6,
)


def value_of(element: ET.Element) -> str:
    """MathML as Python, as a reader of the page understands it."""
    parts = [value_of(child) for child in element]
    match element.tag:
        case "mfrac":
            return f"(({parts[0]})/({parts[1]}))"
        case "msup":
            return f"(({parts[0]})**({parts[1]}))"
        case "mroot":
            return f"(({parts[0]})**(1/({parts[1]})))"
        case "msqrt":
            return f"sqrt({''.join(parts)})"
        case "mrow" if parts[0] == "|":
            return f"abs({''.join(parts[1:-1])})"
        case "mrow":
            return "".join(parts)
    return {"\u2062": "*", "\u00b7": "*", "−": "-"}.get(element.text or "", element.text or "")


@settings(max_examples=30, deadline=None)
@given(formulas)
def test_what_is_typeset_has_the_value_of_the_formula(formula):
    try:
        wanted = eval(formula, {**FUNCTIONS, **COLUMNS})
    except (ZeroDivisionError, OverflowError, TypeError, ValueError):  # a root may be complex, which nothing compares
        wanted = math.nan
    assume(isinstance(wanted, float | int) and math.isfinite(wanted) and 1e-9 < abs(wanted) < 1e9)
    mathml = print_formula(build_formula(tree_of_text(formula)))["mathml"].replace("&InvisibleTimes;", "\u2062")
    shown = eval(value_of(ET.fromstring(mathml)), {**FUNCTIONS, **COLUMNS})
    assert shown == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        ("(1 - density)/sqrt(two_hop_share)", r"\frac{1 - \mathrm{density}}{\sqrt{\mathrm{two\_hop\_share}}}"),
        (
            "(1 - density(G)) / math.sqrt(two_hop_share(G))",
            r"\frac{1 - \mathrm{density}}{\sqrt{\mathrm{two\_hop\_share}}}",
        ),
        ("nx.density(G) * G.number_of_nodes()", r"\mathrm{density} n"),
        ("Max(n, Abs(m))", r"\max\left(m, n\right)"),
        ("log(n, 2) + spam['a_b']", r"\texttt{math.log(n(G), 2)} + \texttt{spam['a\_b']}"),
    ],
)
def test_formulas_are_read_in_every_spelling(formula, latex):
    assert typeset([formula])[formula].latex == latex


def test_of_many_formulas_the_first_are_typeset_in_one_process():
    formulas = [f"n + {number}" for number in range(MOST + 5)]
    assert list(typeset([*formulas, *formulas])) == formulas[:MOST]


def test_what_is_no_expression_is_left_out():
    assert typeset(["def f(): pass", "n +", "import os", "", "lambda: 0 if else"]) == {}
    assert typeset([]) == {}


def test_formulas_stay_texts_where_the_process_cannot_do_its_work(monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert typeset(["n + 1"]) == {}

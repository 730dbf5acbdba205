"""Statements for other programs: Lean is not at hand, nor always SageMath, so they are read back and computed here."""

import ast
import itertools
import re
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.conjecture import describe
from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_graph_invariant.conjectures.output import lean, sage
from evograft_graph_invariant.conjectures.pools.stack import decode_graph6, to_graph
from evograft_graph_invariant.conjectures.table import load_table

BOUNDS = (
    Inequality.parse("independence_number <= 2 * sqrt(n * radius) / 3 - m / (n + 1) + 100", ("claw_free", "planar")),
    Inequality.parse("domination_number >= -5 + floor(n / 7) * log(n + 1) - (max_degree - 1) ** 2 - diameter"),
    Inequality.parse("zero_forcing_number >= -randic_index - ceil(average_degree / 2)", ("tree",)),
)


@pytest.fixture(scope="module")
def table():
    return load_table(5, 0, folder=None)


@pytest.fixture(scope="module")
def conjectures(table):
    return [describe(each, table, (), {}) for each in BOUNDS]


def compute(text, columns):
    """Compute an expression of Python, of invariants by their names."""
    names = {**columns, "sqrt": np.sqrt, "log": np.log, "floor": np.floor, "ceil": np.ceil}
    return eval(compile(ast.parse(text, mode="eval"), "test", "eval"), {"__builtins__": {}}, names)


def read_lean(text):
    """Return a side of a Lean statement as Python has it."""
    written = {lean.to_lean(Inequality(name, "<=", ())).removesuffix(" ≤ 0"): name for name in INVARIANT_NAMES}
    for each in sorted(written, key=len, reverse=True):
        text = text.replace(each, f"({written[each]})")
    text = re.sub(r"\(\((Int\.\w+) (\(.*?\)) : ℤ\) : ℝ\)", r"\1 \2", text)
    text = re.sub(r"\(([-\d/]+) : ℝ\)", r"(\1)", text).replace("^", "**")
    return re.sub(r"(?:Real|Int)\.(\w+)", r"\1", text)


def test_statements_of_lean_have_the_form_of_theorems_and_the_values_of_the_bounds(conjectures, table):
    text = lean.write_lean(conjectures)
    pattern = r"theorem conjecture_\d \(connected : G\.Connected\)((?: \(h\d : .+?\))*) :\n    (.+) ([≤≥]) (.+) := by\n  sorry"
    found = re.findall(pattern, text)
    assert len(found) == len(BOUNDS) == text.count("theorem ")
    for bound, (_, target, sense, formula) in zip(BOUNDS, found, strict=True):
        assert read_lean(target) == f"({bound.target})"
        assert sense == {"<=": "≤", ">=": "≥"}[bound.sense]
        np.testing.assert_allclose(compute(read_lean(formula), table.columns), bound.compute_bound(table.columns))
    assert text.index("namespace Conjectures") < text.index("axiom ") < text.index("end Conjectures")
    assert [text.count(mark) for mark in "([{"] == [text.count(mark) for mark in ")]}"]


def test_lean_declares_what_mathlib_lacks_before_it_is_used(conjectures):
    text = lean.write_lean(conjectures)
    used = {name for bound in BOUNDS for name in bound.invariants} - set(lean.MATHLIB)
    assert {"zeroForcingNumber", "randicIndex", "dominationNumber", "radius", "clawFree", "planar"} <= set(
        re.findall(r"axiom (\w+) ", text)
    )
    assert text.count("axiom ") == len(used) + 2
    assert text.rindex("axiom ") < text.index("theorem ")


def test_functions_of_sage_are_python_once_powers_are_and_have_the_values_of_the_bounds(conjectures, table):
    tree = ast.parse(sage.write_sage(conjectures).replace("^", "**"))
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("conj")]
    assert len(functions) == len(BOUNDS)
    for bound, function in zip(BOUNDS, functions, strict=True):
        text = ast.unparse(function.body[-1].value)
        holds = bound.compute_slack(table.columns) >= 0
        assert (compute(text, table.columns) == holds).all()
        assigned = {each.targets[0].id for each in function.body if isinstance(each, ast.Assign)}
        assert assigned == bound.invariants


def test_every_invariant_and_property_is_an_expression_of_sage():
    assert set(sage.INVARIANTS) == set(INVARIANT_NAMES)
    assert set(sage.PROPERTIES) == set(PROPERTY_NAMES)
    allowed = {"G", "RR", "RDF", "Subsets", "graphs", "real", "sqrt", "abs", "max", "sum", "sorted", "min"}
    for text in (*sage.INVARIANTS.values(), *sage.PROPERTIES.values()):
        tree = ast.parse(text.replace("^", "**"), mode="eval")
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - bound
        assert {name for name in used if not name.startswith("_")} <= allowed, text


def as_sage_has_it(graph):
    return SimpleNamespace(
        order=graph.order,
        size=graph.size,
        degree=lambda: [degree for _, degree in graph.degree()],
        vertices=lambda *, sort: list(graph),
        neighbors=lambda node: list(graph[node]),
    )


def test_what_the_file_for_sage_defines_agrees_with_the_table(table):
    space = {"Subsets": itertools.combinations}
    exec(compile(sage.HEAD, "test", "exec"), space)
    for place, code in enumerate(table.graphs):
        graph = as_sage_has_it(nx.Graph(to_graph(decode_graph6([str(code).encode()])[0])))
        for name in ("residue", "annihilation_number", "zero_forcing_number"):
            assert space[f"_{name}"](graph) == table.columns[name][place], f"{name} of {code}"

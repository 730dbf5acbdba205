"""What every operator promises, on random grammars and random formulas."""

from __future__ import annotations

import ast
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evograft_hookspecs import (
    Candidate,
    CandidateRejected,
    Context,
    Evaluation,
    ExpressionGrammar,
    Problem,
    Proposal,
    Selection,
    Trial,
)
from evograft_operators.formulas.edits import OPERATIONS
from evograft_operators.formulas.expression import FormulaExpression, binary, constant
from evograft_operators.formulas.grammar import Grammar, get_grammar
from evograft_operators.formulas.simplification import simplify
from evograft_operators.options import OperatorsOptions
from evograft_operators.plugin import OperatorsPlugin

TERMINALS = ("n(G)", "m(G)", "density(G)", "G.order", "quantile(G, 0.5)", "size(G) - 1", "x")
FUNCTIONS = ("math.sqrt", "math.log", "abs", "safe.deep.log")
OPERATORS = ("+", "-", "*", "/", "**")
ALGEBRA: dict[str, Any] = {
    "function": "invariant",
    "argument": "G",
    "terminals": ("n(G)", "m(G)"),
    "functions": ("math.sqrt",),
    "operators": OPERATORS,
}
SYMBOLS: dict[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
seeds = st.integers(0, 2**32)


class NoModel:
    available = False


@st.composite
def grammars(draw: st.DrawFn) -> ExpressionGrammar:
    low, high = sorted((draw(st.floats(-100, 100)), draw(st.floats(-100, 100))))
    return ExpressionGrammar(
        function="invariant",
        argument="G",
        terminals=tuple(draw(st.lists(st.sampled_from(TERMINALS), min_size=1, unique=True))),
        functions=tuple(draw(st.lists(st.sampled_from(FUNCTIONS), unique=True))),
        operators=tuple(draw(st.lists(st.sampled_from(OPERATORS), unique=True))),
        constants=(low, high),
        max_nodes=draw(st.integers(10, 60)),
    )


@st.composite
def formulas(draw: st.DrawFn, spec: ExpressionGrammar) -> FormulaExpression:
    return get_grammar(spec).draw(random.Random(draw(seeds)), draw(st.integers(0, 5)))


def make_context(spec: ExpressionGrammar | None, *, seed: int = 0, trial: int = 7) -> Context:
    problem = Problem(name="p", statement="s", kind="formula", objective="o", grammar=spec)
    none: Any = None
    services: Any = {"llm": NoModel(), "tools": none, "history": none}
    return Context(trial=trial, seed=seed, scratch=Path(), generation_size=5, problem=problem, **services)


def make_trial(number: int, source: str, **files: str) -> Trial:
    candidate = Candidate(kind="formula", files={"main": source, **files}, operator="kernel.seed", trial=number)
    return Trial(number=number, view=0, candidate=candidate, evaluation=Evaluation(status="ok", score=1.0))


def mutate(name: str, spec: ExpressionGrammar | None, *parents: Trial, seed: int = 0) -> Candidate:
    proposal = Proposal(id="a", operator=f"operators.{name}")
    return OperatorsPlugin(OperatorsOptions()).mutate(make_context(spec, seed=seed), proposal, parents)


def formula_of(candidate: Candidate) -> ast.expr:
    match ast.parse(candidate.source).body:
        case [ast.FunctionDef(name="invariant", body=[ast.Return(value=ast.expr() as value)])]:
            return value
    raise AssertionError(candidate.source)


def is_allowed(node: ast.expr, spec: ExpressionGrammar) -> bool:
    """A second, independent opinion on what is in the grammar."""
    if ast.unparse(node) in spec.terminals:
        return True
    match node:
        case (
            ast.Constant(value=int() | float() as value)
            | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value))
        ):
            return math.isfinite(value)
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            return "**" in spec.operators and is_allowed(base, spec) and abs(ast.literal_eval(exponent)) <= 3
        case ast.BinOp(op=op, left=left, right=right):
            return SYMBOLS[type(op)] in spec.operators and is_allowed(left, spec) and is_allowed(right, spec)
        case ast.Call(func=function, args=[argument], keywords=[]):
            return ast.unparse(function) in spec.functions and is_allowed(argument, spec)
    return False


@given(st.data(), st.sampled_from(sorted(OPERATIONS)), grammars(), seeds)
def test_a_child_is_a_small_new_formula_of_the_grammar_that_names_its_parents(
    data: st.DataObject, name: str, spec: ExpressionGrammar, seed: int
) -> None:
    assume(len(spec.terminals) >= 3)  # a grammar of fewer may hold no formula but the parents
    drawn = [data.draw(formulas(spec)) for _ in range(2)]
    parents = tuple(make_trial(number, get_grammar(spec).program(drawn[number])) for number in range(2))
    before = [parent.model_dump_json() for parent in parents]
    child = mutate(name, spec, *parents, seed=seed)
    assert is_allowed(formula_of(child), spec)
    assert sum(1 for _ in ast.walk(formula_of(child))) <= spec.max_nodes
    assert child.kind == "formula"
    assert child.operator == f"operators.{name}"
    assert child.trial == 7
    assert child.parents == tuple(range(OPERATIONS[name].parents))
    assert child.id not in [parents[number].candidate.id for number in child.parents if parents[number].candidate]
    assert [parent.model_dump_json() for parent in parents] == before
    assert mutate(name, spec, *parents, seed=seed) == child


@given(st.data(), grammars())
def test_what_is_written_is_read_back_the_same_and_counted_as_ast_counts(
    data: st.DataObject, spec: ExpressionGrammar
) -> None:
    grammar = get_grammar(spec)
    drawn = data.draw(formulas(spec))
    read = grammar.parse(grammar.program(drawn))
    assert read == drawn
    assert [part.kind for part in read.walk()] == [part.kind for part in drawn.walk()]
    assert read.nodes == sum(1 for _ in ast.walk(ast.parse(drawn.text, mode="eval").body))
    assert read.size == len(list(read.walk()))


@given(st.data(), grammars(), seeds)
def test_a_part_can_be_replaced_at_every_place_and_nothing_else_changes(
    data: st.DataObject, spec: ExpressionGrammar, seed: int
) -> None:
    drawn, new = data.draw(formulas(spec)), data.draw(formulas(spec))
    place = random.Random(seed).randrange(drawn.size)
    changed = drawn.replace(place, new)
    assert changed.at(place) == new
    assert changed.replace(place, drawn.at(place)) == drawn
    assert list(drawn.walk())[place] == drawn.at(place)


@given(st.data(), grammars())
def test_tidying_settles_at_once_and_never_adds(data: st.DataObject, spec: ExpressionGrammar) -> None:
    drawn = data.draw(formulas(spec))
    tidied = simplify(drawn, get_grammar(spec))
    assert tidied.nodes <= drawn.nodes
    assert simplify(tidied, get_grammar(spec)) == tidied


@given(st.data(), st.floats(0.5, 3), st.floats(0.5, 3))
def test_tidying_keeps_the_value(data: st.DataObject, n: float, m: float) -> None:
    spec = ExpressionGrammar(**{**ALGEBRA, "constants": (-3.0, 3.0)})
    drawn = data.draw(formulas(spec))
    world = {"n": lambda _: n, "m": lambda _: m, "G": None, "math": math}
    try:
        parts = [eval(part.text, dict(world)) for part in drawn.walk()]
        value = eval(simplify(drawn, get_grammar(spec)).text, dict(world))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):  # TypeError: a root turned complex
        assume(condition=False)
    # Where a difference almost cancels, or roots turn complex, six digits are not enough to compare.
    assume(all(isinstance(part, (int, float)) and 1e-1 < abs(part) < 1e2 for part in parts))
    assert value == pytest.approx(parts[0], rel=1e-2, abs=1e-2)


@pytest.mark.parametrize(
    ("untidy", "expected"),
    [
        ("n(G) + 0", "n(G)"),
        ("0 + n(G)", "n(G)"),
        ("n(G) * 1", "n(G)"),
        ("n(G) / 1", "n(G)"),
        ("n(G) ** 1", "n(G)"),
        ("n(G) * 0", "0"),
        ("n(G) - n(G)", "0"),
        ("n(G) / n(G)", "1"),
        ("n(G) + m(G)", "m(G) + n(G)"),
        ("n(G) * 2", "2 * n(G)"),
        ("2 * (3 * n(G))", "6 * n(G)"),
        ("n(G) + 3 - 5", "n(G) - 2"),
        ("n(G) + -2", "n(G) - 2"),
        ("n(G) - -2", "n(G) + 2"),
        ("-n(G)", "0 - n(G)"),
        ("+n(G) * 1", "n(G)"),
        ("2 + 1 / 3", "2.33333"),
        ("math.sqrt(4) * n(G)", "2 * n(G)"),
        ("math.sqrt(-4)", "math.sqrt(-4)"),
        ("(-3) ** 2", "9"),
        ("(-3) ** 0.5", "(-3) ** 0.5"),
        ("0 ** -1", "0 ** -1"),
        ("1e200 ** 10", "1e+200 ** 10"),
        ("1e200 * 1e200", "1e+200 * 1e+200"),
        ("n(G) / 0", "n(G) / 0"),
        ("1e12 * n(G)", "1000000000000 * n(G)"),
    ],
)
def test_tidying_by_example(untidy: str, expected: str) -> None:
    grammar = get_grammar(ExpressionGrammar(**ALGEBRA))
    read = grammar.parse(f"def invariant(G): return {untidy}")
    assert simplify(read, grammar).text == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A formula."""\nimport math\n\ndef invariant(G):\n    """Says it again."""\n    return m(G) / n(G)\n',
        "def invariant(G: object) -> float: return ( m( G )/\\\n n(G) )",
    ],
)
def test_parents_in_another_layout_are_read(source: str) -> None:
    grammar = get_grammar(ExpressionGrammar(**ALGEBRA))
    assert grammar.parse(source).text == "m(G) / n(G)"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def invariant(G):\n    x = n(G)\n    return x\n", "not of the form"),
        ("def other(G):\n    return n(G)\n", "not of the form"),
        ("def invariant(H):\n    return n(H)\n", "not of the form"),
        ("def invariant(G):\n    return\n", "not of the form"),
        ("def invariant(G): return diameter(G)", r"'diameter\(G\)' is not in the problem's grammar"),
        ("def invariant(G): return n(G) % 2", "not in the problem's grammar"),
        ("def invariant(G): return True", "not in the problem's grammar"),
        ("def invariant(G): return n(G) ** m(G)", "exponent"),
        ("def invariant(G): return n(G) ** 400", "exponent"),
        ("def invariant(G): return 1e999", "not a program"),
        ("def invariant(G): return 1" + "0" * 400, "not a program"),
        ("def invariant(G): return n(G", "not a program"),
        ("def invariant(G): return " + "(" * 500 + "n(G)" + ")" * 500, "not a program"),
        ("def invariant(G): return " + "n(G) + " * 20_000 + "1", "not a program"),
        ("\0", "not a program"),
    ],
)
def test_parents_that_are_no_formulas_of_the_grammar_are_declined_with_the_reason(source: str, reason: str) -> None:
    with pytest.raises(CandidateRejected, match=reason):
        mutate("grow", ExpressionGrammar(**ALGEBRA), make_trial(0, source))


def test_a_parent_of_two_files_is_declined() -> None:
    with pytest.raises(CandidateRejected, match="not a program of one file"):
        mutate("grow", ExpressionGrammar(**ALGEBRA), make_trial(0, "", other=""))


def test_splice_with_one_parent_is_declined() -> None:
    with pytest.raises(CandidateRejected, match="needs 2 parents, not 1"):
        mutate("splice", ExpressionGrammar(**ALGEBRA), make_trial(0, "def invariant(G): return n(G)"))


def test_a_parent_that_is_too_large_has_children_that_are_not() -> None:
    spec = ExpressionGrammar(**ALGEBRA, max_nodes=20)
    source = "def invariant(G): return " + " + ".join(["math.sqrt(n(G) * m(G))"] * 20)
    for name in OPERATIONS:
        child = mutate(name, spec, make_trial(0, source), make_trial(1, source))
        assert sum(1 for _ in ast.walk(formula_of(child))) <= 20


def test_a_grammar_with_room_for_nothing_is_declined() -> None:
    with pytest.raises(CandidateRejected, match="at most 0 nodes"):
        mutate("sprout", ExpressionGrammar(**ALGEBRA, max_nodes=0))


def test_a_terminal_that_is_no_expression_is_named() -> None:
    with pytest.raises(ValueError, match=r"'n\(G' in the problem's grammar"):
        Grammar(ExpressionGrammar(function="f", argument="G", terminals=("n(G",)))


@pytest.mark.long
@given(st.sampled_from(["refine", "combine", "novel", "", "else"]), st.floats(0, 100), st.integers(0, 3))
def test_every_proposal_is_in_the_manifest_and_has_the_parents_it_needs(
    strategy: str, temperature: float, parents: int
) -> None:
    plugin = OperatorsPlugin(OperatorsOptions())
    selection = Selection(parents=tuple(range(parents)), strategy=strategy, temperature=temperature)
    offered = plugin.propose(make_context(ExpressionGrammar(**ALGEBRA)), selection)
    assert offered
    assert {item.operator for item in offered} <= {
        f"operators.{operator.name}" for operator in plugin.manifest.operators
    }
    assert all(OPERATIONS[item.operator.removeprefix("operators.")].parents <= parents for item in offered)
    assert all(math.isfinite(item.weight) and item.weight > 0 for item in offered)
    assert len({item.id for item in offered}) == len(offered)


def test_every_edit_is_offered_somewhere_and_can_be_carried_out() -> None:
    plugin = OperatorsPlugin(OperatorsOptions())
    spec = ExpressionGrammar(**ALGEBRA)
    parents = tuple(make_trial(number, f"def invariant(G): return {number} + n(G)") for number in range(2))
    selection = Selection(parents=(0, 1), strategy="anything")
    offered = plugin.propose(make_context(spec), selection)
    assert offered
    assert [item.operator for item in offered] == [f"operators.{name}" for name in OPERATIONS]
    assert all(plugin.mutate(make_context(spec), item, parents).source for item in offered)


def test_heat_shifts_the_weights_from_timid_to_bold_operators() -> None:
    plugin = OperatorsPlugin(OperatorsOptions())

    def share(temperature: float) -> float:
        selection = Selection(parents=(0,), strategy="refine", temperature=temperature)
        offered = plugin.propose(make_context(ExpressionGrammar(**ALGEBRA)), selection) or ()
        weights = {item.operator: item.weight for item in offered}
        return weights["operators.regrow"] / sum(weights.values())

    assert all(cool < hot for cool, hot in pairwise(map(share, (0.0, 0.3, 0.8, 1.2, 3.0))))


def test_without_parents_only_sprout_is_offered() -> None:
    offered = OperatorsPlugin(OperatorsOptions()).propose(make_context(ExpressionGrammar(**ALGEBRA)), Selection())
    assert [item.operator for item in offered or ()] == ["operators.sprout"]


def test_a_problem_without_grammar_is_passed_over() -> None:
    assert OperatorsPlugin(OperatorsOptions()).propose(make_context(None), Selection()) is None
    with pytest.raises(CandidateRejected, match="no grammar"):
        mutate("sprout", None)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_constants_are_written_exactly(value: float) -> None:
    assert ast.literal_eval(constant(value).text) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_constants_are_finite(value: float) -> None:
    with pytest.raises(ValueError, match="no constant"):
        constant(value)


def test_parentheses_stand_only_where_they_are_needed() -> None:
    a, b, c = (constant(float(number)) for number in (1, 2, 3))
    assert binary("-", binary("-", a, b), c).text == "1 - 2 - 3"
    assert binary("-", a, binary("-", b, c)).text == "1 - (2 - 3)"
    assert binary("*", binary("+", a, b), c).text == "(1 + 2) * 3"

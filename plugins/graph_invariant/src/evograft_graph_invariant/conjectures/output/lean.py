"""Conjectures as statements of Lean 4 with Mathlib, each with `sorry` for its proof."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from fractions import Fraction

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.terms import ONE
from evograft_graph_invariant.conjectures.conjecture import Conjecture
from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME, PROPERTY_BY_NAME
from evograft_graph_invariant.conjectures.output.term_style import TermStyle, write_term

NAMESPACE = "Conjectures"

MATHLIB = {
    "n": "(Fintype.card V : ℝ)",
    "m": "(G.edgeFinset.card : ℝ)",
    "max_degree": "(G.maxDegree : ℝ)",
    "min_degree": "(G.minDegree : ℝ)",
    "average_degree": "(2 * (G.edgeFinset.card : ℝ) / Fintype.card V)",
    "diameter": "(G.diam : ℝ)",
    "independence_number": "(G.indepNum : ℝ)",
    "clique_number": "(G.cliqueNum : ℝ)",
    "chromatic_number": "(G.chromaticNumber.toNat : ℝ)",
}
"""Invariants that Mathlib has. The others are declared and have to be defined by whoever proves something."""

HYPOTHESES = {
    "tree": "G.IsTree",
    "bipartite": "G.Colorable 2",
    "triangle_free": "G.CliqueFree 3",
    "regular": "∃ d, G.IsRegularOfDegree d",
    "cubic": "G.IsRegularOfDegree 3",
    "subcubic": "∀ v, G.degree v ≤ 3",
    "eulerian": "∀ v, Even (G.degree v)",
    "without_leaves": "∀ v, 2 ≤ G.degree v",
    "incomplete": "G ≠ ⊤",
    "diameter_two": "G.diam ≤ 2",
}


def write_lean(conjectures: Sequence[Conjecture]) -> str:
    """Return a file with all conjectures that are not known."""
    return "\n".join(_write_lines([each for each in conjectures if each.status == "not refuted"]))


def _write_lines(conjectures: Sequence[Conjecture]) -> Iterator[str]:
    yield "import Mathlib\n"
    # Within a namespace of its own, `radius` is what is declared here and not what Mathlib calls so.
    yield f"namespace {NAMESPACE}\n"
    for name in sorted({name for each in conjectures for name in each.inequality.invariants} - set(MATHLIB)):
        yield f"/-- {BY_NAME[name].meaning}; to be defined. -/"
        yield f"axiom {_lean_name(name)} {{V : Type}} [Fintype V] (G : SimpleGraph V) : ℝ\n"
    for name in sorted({name for each in conjectures for name in each.inequality.hypothesis} - set(HYPOTHESES)):
        yield f"/-- The graph is {PROPERTY_BY_NAME[name].adjective}; to be defined. -/"
        yield f"axiom {_lean_name(name)} {{V : Type}} [Fintype V] (G : SimpleGraph V) : Prop\n"
    yield "variable {V : Type} [Fintype V] [DecidableEq V] [Nontrivial V] (G : SimpleGraph V) [DecidableRel G.Adj]\n"
    for number, each in enumerate(conjectures, start=1):
        supposed = "".join(f" (h{i} : {_hypothesis(h)})" for i, h in enumerate(each.inequality.hypothesis, start=1))
        yield f"theorem conjecture_{number} (connected : G.Connected){supposed} :"
        yield f"    {to_lean(each.inequality)} := by"
        yield "  sorry\n"
    yield f"end {NAMESPACE}"


def to_lean(inequality: Inequality) -> str:
    """Return an inequality between real numbers, of a graph `G`."""
    parts = [_product(term, number) for term, number in inequality.terms] or ["0"]
    sense = "≤" if inequality.sense == "<=" else "≥"
    return f"{_invariant(inequality.target)} {sense} {' + '.join(parts)}"


def _product(term: str, number: Fraction) -> str:
    scale = f"({number} : ℝ)"
    return scale if term == ONE else f"{scale} * {write_term(term, LEAN)}"


def _invariant(name: str) -> str:
    return MATHLIB.get(name, f"{_lean_name(name)} G")


def _hypothesis(name: str) -> str:
    return HYPOTHESES.get(name, f"{_lean_name(name)} G")


def _lean_name(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


LEAN = TermStyle(
    name=_invariant,
    number="{}",
    operators={
        ast.Add: "({} + {})",
        ast.Sub: "({} - {})",
        ast.Mult: "({} * {})",
        ast.Div: "({} / {})",
        ast.Pow: "({} ^ {})",
    },
    negative="(-{})",
    group="{}",
    functions={
        "sqrt": "Real.sqrt ({})",
        "log": "Real.log ({})",
        "floor": "((Int.floor ({}) : ℤ) : ℝ)",
        "ceil": "((Int.ceil ({}) : ℤ) : ℝ)",
    },
)

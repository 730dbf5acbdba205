"""Inequalities in the notation of mathematics: LaTeX and MathML."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.conjectures.bounds.terms import ONE, list_invariants
from evograft_graph_invariant.conjectures.conjecture import Conjecture
from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME, PROPERTY_BY_NAME
from evograft_graph_invariant.conjectures.output.term_style import TermStyle, write_term

LATEX = TermStyle(
    name=lambda name: BY_NAME[name].latex,
    number="{}",
    operators={
        ast.Add: "{} + {}",
        ast.Sub: "{} - {}",
        ast.Mult: r"{}\,{}",
        ast.Div: r"\frac{{{}}}{{{}}}",
        ast.Pow: "{}^{{{}}}",
    },
    negative="-{}",
    group=r"\left({}\right)",
    functions={
        "sqrt": r"\sqrt{{{}}}",
        "log": r"\log\left({}\right)",
        "floor": r"\lfloor {} \rfloor",
        "ceil": r"\lceil {} \rceil",
    },
)

MATHML = TermStyle(
    name=lambda name: f"<mi>{escape(BY_NAME[name].symbol)}</mi>",
    number="<mn>{}</mn>",
    operators={
        ast.Add: "{}<mo>+</mo>{}",
        ast.Sub: "{}<mo>−</mo>{}",
        ast.Mult: '{}<mspace width="0.17em"/>{}',
        ast.Div: "<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>",
        ast.Pow: "<msup><mrow>{}</mrow><mrow>{}</mrow></msup>",
    },
    negative="<mo>−</mo>{}",
    group="<mrow><mo>(</mo>{}<mo>)</mo></mrow>",
    functions={
        "sqrt": "<msqrt>{}</msqrt>",
        "log": "<mi>log</mi><mo>(</mo>{}<mo>)</mo>",
        "floor": "<mo>⌊</mo>{}<mo>⌋</mo>",
        "ceil": "<mo>⌈</mo>{}<mo>⌉</mo>",
    },
)

LATEX_SENSES = {"<=": r"\le", ">=": r"\ge"}
MATHML_SENSES = {"<=": "≤", ">=": "≥"}


def to_latex(inequality: Inequality) -> str:
    """Return an inequality as LaTeX."""
    parts = [_latex_product(term, number) for term, number in inequality.terms] or ["0"]
    formula = " + ".join(parts).replace("+ -", "- ")
    return f"{BY_NAME[inequality.target].latex} {LATEX_SENSES[inequality.sense]} {formula}"


def _latex_product(term: str, number: Fraction) -> str:
    sign = "-" if number < 0 else ""
    top, bottom = abs(number.numerator), number.denominator
    scale = str(top) if bottom == 1 else rf"\frac{{{top}}}{{{bottom}}}"
    if term == ONE:
        return f"{sign}{scale}"
    text = write_term(term, LATEX)
    return f"{sign}{text}" if scale == "1" else rf"{sign}{scale}\,{text}"


def to_mathml(inequality: Inequality) -> str:
    """Return an inequality as MathML, which browsers draw without a script."""
    parts: list[str] = []
    for place, (term, number) in enumerate(inequality.terms or ((ONE, Fraction(0)),)):
        sign = "−" if number < 0 else "+"
        parts += [f"<mo>{sign}</mo>"] if place or number < 0 else []
        parts.append(_mathml_product(term, abs(number)))
    symbol = f"<mi>{escape(BY_NAME[inequality.target].symbol)}</mi>"
    return f'<math display="block">{symbol}<mo>{MATHML_SENSES[inequality.sense]}</mo>{"".join(parts)}</math>'


def _mathml_product(term: str, number: Fraction) -> str:
    top, bottom = f"<mn>{number.numerator}</mn>", f"<mn>{number.denominator}</mn>"
    scale = top if number.denominator == 1 else f"<mfrac>{top}{bottom}</mfrac>"
    if term == ONE:
        return scale
    text = write_term(term, MATHML)
    return text if number == 1 else f'{scale}<mspace width="0.17em"/>{text}'


def write_latex(conjectures: Sequence[Conjecture]) -> str:
    """Return a document with all conjectures that are not known, and what their symbols mean."""
    return "\n".join(_latex_lines([each for each in conjectures if each.status == "not refuted"]))


def _latex_lines(conjectures: Sequence[Conjecture]) -> Iterator[str]:
    yield r"\documentclass{article}"
    yield r"\usepackage{amsmath,amssymb,amsthm}"
    yield r"\newtheorem{conjecture}{Conjecture}"
    yield r"\begin{document}"
    for each in conjectures:
        names = [PROPERTY_BY_NAME[name].adjective.replace("C₄", "$C_4$") for name in each.inequality.hypothesis]
        graphs = " ".join(["connected", *names]).strip()
        yield r"\begin{conjecture}"
        yield f"For every {graphs} graph with at least two nodes, ${to_latex(each.inequality)}$."
        yield r"\end{conjecture}"
        tried = sum(each.tried.values()) + sum(each.searches.values())
        yield f"Sharp on {each.touches} connected graphs of small order; tried on {tried} graphs."
        yield ""
    used = sorted({name for each in conjectures for name in each.inequality.invariants})
    if used:
        yield r"\begin{description}"
        for name in used:
            meaning = BY_NAME[name].meaning.replace("√", r"\(\surd\)").replace("_", r"\_")
            yield rf"\item[$ {BY_NAME[name].latex} $] {meaning}"
        yield r"\end{description}"
    yield r"\end{document}"


def list_symbols(conjectures: Sequence[Conjecture]) -> list[str]:
    """Return the names of all invariants that conjectures use, sorted."""
    names = (
        list_invariants(term) | {each.inequality.target} for each in conjectures for term, _ in each.inequality.terms
    )
    return sorted(frozenset[str]().union(*names))

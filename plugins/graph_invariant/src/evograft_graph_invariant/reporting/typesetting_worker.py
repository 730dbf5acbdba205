"""The process that typesets formulas: a JSON list of trees in, a JSON list of LaTeX and MathML out.

Each formula has a fork of its own with bounds: building `9**9**9` alone may fill a memory.
"""

from __future__ import annotations

import html
import json
import sys
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter

from evograft_graph_invariant.formulas.sympy_worker import build_formula, run_bounded

CPU_SECONDS = 5

_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "`": r"\textasciigrave{}",
    **{letter: f"\\{letter}" for letter in "{}$&#_%"},
}


class _Latex(LatexPrinter):  # type: ignore[misc] # SymPy has no types
    def _print_Symbol(self, symbol: Any, style: str = "plain") -> str:  # noqa: ARG002, N802 - SymPy's signature
        name = str(symbol.name)
        text = "".join(_LATEX.get(letter, letter) for letter in name)
        if not name.isidentifier():
            return rf"\texttt{{{text}}}"
        return text if len(name) == 1 else rf"\mathrm{{{text}}}"


class _MathMl(MathMLPresentationPrinter):  # type: ignore[misc] # SymPy has no types
    def _print_Symbol(self, symbol: Any, style: str = "plain") -> Any:  # noqa: ARG002, N802 - SymPy's signature
        # SymPy's own reads `two_hop_share` as "two" with subscripts. Its DOM escapes nothing.
        element = self.dom.createElement("mi")
        element.appendChild(self.dom.createTextNode(html.escape(str(symbol.name))))
        return element


def main() -> None:
    print(json.dumps([_typeset(tree) for tree in json.load(sys.stdin)]))  # noqa: T201 - the protocol


def _typeset(tree: list[Any]) -> dict[str, str] | None:
    found = run_bounded(lambda: json.dumps(print_formula(build_formula(tree))), cpu_seconds=CPU_SECONDS)
    return json.loads(found) if found else None


def print_formula(formula: sympy.Expr) -> dict[str, str]:
    """Print a formula twice: as LaTeX and as MathML.

    SymPy's MathML is right for evaluated expressions only: `a - (b - c)` loses its brackets.
    """
    mathml = _MathMl().doprint(formula).replace("<mo>-</mo>", "<mo>−</mo>")
    return {"latex": _Latex().doprint(formula), "mathml": mathml}


if __name__ == "__main__":
    main()

"""Formulas as LaTeX to copy and as MathML to read, which browsers show without a script or a network."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evograft.text.escapes import escape_controls
from evograft_graph_invariant.formulas.parser import UNARY_FUNCTIONS
from evograft_graph_invariant.formulas.sympy_tree import Tree, tree_of_expression
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES, SPELLINGS

SECONDS = 120
"""Wall time for all formulas of a report, far above the child's own bounds on CPU."""
MOST = 12
"""Formulas of one report."""
LONGEST = 4000
"""Characters of LaTeX that are of use to anybody."""
LONGEST_TEXT = 4000
"""Characters of a formula."""
LARGEST = 300
"""Syntax nodes. A page wider than any screen is useless, and SymPy's printers recurse."""

_SYMPY_NAMES = {"Abs": "abs", "Max": "max", "Min": "min"}


@dataclass(frozen=True)
class Typeset:
    """A formula for people."""

    latex: str
    mathml: Markup


def typeset(formulas: Sequence[str]) -> dict[str, Typeset]:
    """Typeset the formulas that can be typeset, by their text; of many the first ones."""
    trees = {
        text: tree for text in dict.fromkeys(formulas) if (tree := tree_of_text(escape_controls(text))) is not None
    }
    asked = dict(list(trees.items())[:MOST])
    try:
        answers = _ask(list(asked.values())) if asked else []
    except subprocess.SubprocessError:  # the process was killed, or found no memory: texts are better than no report
        return {}
    return {
        text: Typeset(answer["latex"], Markup(answer["mathml"]))  # noqa: S704 - our own child escapes all names
        for text, answer in zip(asked, answers, strict=False)
        if answer is not None and len(answer["latex"]) <= LONGEST
    }


def _ask(trees: list[Tree]) -> list[dict[str, str] | None]:
    child = subprocess.run(
        [sys.executable, "-m", "evograft_graph_invariant.reporting.typesetting_worker"],
        input=json.dumps(trees),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
        # SymPy orders terms by hash.
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    answers: list[dict[str, str] | None] = json.loads(child.stdout)
    return answers


def tree_of_text(text: str) -> Tree | None:
    """Return the formula in the words of SymPy's process; `None` if it is not an expression or too large."""
    if len(text) > LONGEST_TEXT:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if sum(1 for _ in ast.walk(node)) > LARGEST:
        return None
    return tree_of_expression(_Spelling().visit(node))


class _Spelling(ast.NodeTransformer):
    """Gives columns their argument and functions their module, which one-line formulas leave out."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Call(node, [ast.Name("G", ast.Load())], []) if node.id in COLUMN_NAMES else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if ast.unparse(node) in SPELLINGS:
            return node
        node.args = [self.visit(argument) for argument in node.args]
        if isinstance(node.func, ast.Name):
            node.func = _function(node.func)
        return node


def _function(name: ast.Name) -> ast.expr:
    if name.id in UNARY_FUNCTIONS:
        return ast.Attribute(ast.Name("math", ast.Load()), name.id, ast.Load())
    return ast.Name(_SYMPY_NAMES.get(name.id, name.id), ast.Load())

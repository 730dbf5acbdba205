"""Formulas as summaries write them: in Python over `column(G)`, in one line without `(G)`, or in SymPy's words."""

from __future__ import annotations

import ast
import warnings

from evograft_graph_invariant.formulas.parser import UNARY_FUNCTIONS
from evograft_graph_invariant.formulas.sympy_tree import Tree, tree_of_expression
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES, SPELLINGS

LONGEST = 4000
LARGEST = 300
"""Syntax nodes. A page wider than any screen is useless, and SymPy's printers recurse."""

_SYMPY_NAMES = {"Abs": "abs", "Max": "max", "Min": "min"}


def tree_of_text(text: str) -> Tree | None:
    """Return the formula in the words of SymPy's process; `None` if it is not an expression or too large."""
    if len(text) > LONGEST:
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

"""A check that a program keeps to the pool and the skeleton of constrained generation."""

from __future__ import annotations

import ast

from evograft_graph_invariant.formulas.parser import FUNCTION
from evograft_hookspecs import CandidateRejected

MODULES = ("math", "np", "numpy")
CALLED = frozenset({"log", "sqrt", "sum", "mean", "max", "min"})
LENGTH = "len"
"""Functions of the degrees: a mean is written so without NumPy."""
ASKED = frozenset({"number_of_nodes", "number_of_edges", "degree"})
"""The methods of the graph that the skeleton calls."""

MOST_SHOWN = 60
"""Characters of a program's own in a reason."""

GRAMMAR = (
    # what a function is written with
    ast.Module | ast.Import | ast.ImportFrom | ast.alias | ast.arg | ast.Assign | ast.AnnAssign | ast.Return | ast.Name,
    # the operators
    ast.BinOp | ast.UnaryOp | ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow | ast.USub | ast.UAdd | ast.Call,
    # the degrees, and what is made of each of them
    ast.ListComp | ast.GeneratorExp | ast.comprehension | ast.Tuple | ast.List | ast.expr_context,
)
"""All that a program of the pool is made of."""


def require_allowed(source: str) -> None:
    """Accept a program that is put together from the pool.

    What is no Python is left to the evaluation, which says why.

    Raises:
        CandidateRejected: it is not, naming the first thing that is not in the pool; the program goes back as a draft.
    """
    try:
        tree = ast.parse(source)
        _Keeper().visit(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    except _Strange as err:
        raise CandidateRejected(f"{err} is not in the pool: keep to it and to the skeleton", draft=source) from err


class _Strange(Exception):  # noqa: N818 - a finding
    """A part of the program that is not in the pool."""


class _Keeper(ast.NodeVisitor):
    """Names what is strange, the outermost first."""

    def __init__(self) -> None:
        self._graph = "G"

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, GRAMMAR):
            raise _Strange(_shown(node))
        super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        arguments = ast.unparse(node.args)
        if node.name != FUNCTION or not arguments.isidentifier() or node.decorator_list:
            raise _Strange(f"def {node.name}({arguments})")
        self._graph = arguments
        for statement in node.body:
            self.visit(statement)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            raise _Strange(_shown(node.value))

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) not in (int, float):
            raise _Strange(_shown(node))

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id not in {*CALLED, LENGTH}:
            raise _Strange(_shown(node.func))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        offered = {**dict.fromkeys(MODULES, CALLED), self._graph: ASKED}
        if not isinstance(node.value, ast.Name) or node.attr not in offered.get(node.value.id, ()):
            raise _Strange(_shown(node))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id == self._graph:
            raise _Strange(f"{node.id}, but for {', '.join(f'{node.id}.{name}()' for name in sorted(ASKED))},")


def _shown(node: ast.AST) -> str:
    """Return the code, or its kind if it is long or has no text of its own."""
    text = ast.unparse(node) if isinstance(node, ast.expr) else ""
    return text if text and len(text) <= MOST_SHOWN and "\n" not in text else type(node).__name__

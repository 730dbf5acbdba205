"""A candidate's source, read once: what it is, and how large."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from evograft_graph_invariant.expression import NotAnExpression, Step, read_expression
from evograft_graph_invariant.line import read_line
from evograft_hookspecs import CandidateRejected

MAX_CHARACTERS = 20_000


@dataclass(frozen=True)
class Program:
    """A candidate that is valid Python."""

    source: str
    formula: Step | None
    """The candidate as a formula over columns, or `None` if it has to be run."""

    @classmethod
    def parse(cls, source: str) -> Program:
        """Reads Python.

        Raises:
            CandidateRejected: when it is none.
        """
        if len(source) > MAX_CHARACTERS:
            raise CandidateRejected(f"the program has more than {MAX_CHARACTERS} characters: write a shorter one")
        return cls(source, read_line(source) or _find_formula(_parse(source)))

    @cached_property
    def tree(self) -> ast.Module:
        return _parse(self.source)

    @property
    def ast_nodes(self) -> int:
        """All nodes of the function's body, contexts included; those of a formula with everything inlined."""
        if self.formula is not None:
            return 1 + self.formula.nodes
        return sum(count_nodes(node) for node in self.tree.body)

    @property
    def body_text(self) -> str:
        """The statements below functions' headers, as Python writes them."""
        bodies = [
            without_docstring(node.body) if isinstance(node, ast.FunctionDef) else [node] for node in self.tree.body
        ]
        return "; ".join(ast.unparse(statement) for body in bodies for statement in body)


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as err:
        raise CandidateRejected(f"the program is no valid Python: {err}") from err


def _find_formula(tree: ast.Module) -> Step | None:
    try:
        return read_expression(tree)
    except (NotAnExpression, RecursionError):
        return None


def count_nodes(node: ast.AST) -> int:
    """The nodes below functions' headers: without their arguments, annotations and docstrings."""
    if isinstance(node, ast.FunctionDef):
        return sum(count_nodes(statement) for statement in without_docstring(node.body))
    if isinstance(node, ast.AnnAssign):
        return 1 + count_nodes(node.target) + (count_nodes(node.value) if node.value else 0)
    return 1 + sum(count_nodes(child) for child in ast.iter_child_nodes(node))


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return body[1:]
    return body

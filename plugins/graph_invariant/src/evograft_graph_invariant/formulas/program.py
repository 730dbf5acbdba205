"""A candidate's source, read once: what it is, and how large."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from evograft_graph_invariant.formulas.fast_parser import parse_line
from evograft_graph_invariant.formulas.inlining import Inlined, inline
from evograft_graph_invariant.formulas.nesting import MOST_LEVELS, is_deep_code, is_deep_formula
from evograft_graph_invariant.formulas.parser import FUNCTION, Expr, NotAnExpression, parse_expression
from evograft_hookspecs import CandidateRejected

MAX_CHARACTERS = 20_000


@dataclass(frozen=True)
class CandidateProgram:
    """A candidate that is valid Python."""

    source: str
    formula: Expr | None
    """The candidate as a formula over columns, or `None` if it has to be run."""

    @classmethod
    def parse(cls, source: str) -> CandidateProgram:
        """Parse Python.

        Raises:
            CandidateRejected: when it is none.
        """
        if len(source) > MAX_CHARACTERS:
            raise CandidateRejected(f"the program has more than {MAX_CHARACTERS} characters: write a shorter one")
        formula = parse_line(source) or _find_formula(_parse(source))
        return cls(source, None if formula is None or is_deep_formula(formula) else formula)

    @cached_property
    def tree(self) -> ast.Module:
        return _parse(self.source)

    @cached_property
    def inlined(self) -> Inlined:
        """The candidate as one expression, if it is one."""
        return inline(self.tree)

    @property
    def ast_nodes(self) -> int:
        """All nodes of the function's body with everything inlined, contexts included.

        Where that cannot be, those of the bodies of all functions; `inlined` says why.
        """
        return self.inlined.nodes if self.formula is None else 1 + self.formula.nodes


def _parse(source: str) -> ast.Module:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as err:
        raise CandidateRejected(f"the program is no valid Python: {err}") from err
    if is_deep_code(tree):
        raise CandidateRejected(f"the program is nested more than {MOST_LEVELS} levels deep: write a simpler one")
    return tree


def _find_formula(tree: ast.Module) -> Expr | None:
    try:
        return parse_expression(tree)
    except (NotAnExpression, RecursionError):
        return None


def write_program(expression: str) -> str:
    """Write the candidate that returns an expression."""
    return f"def {FUNCTION}(G):\n    return {expression}\n"

"""The depth of trees: a walk through them recurs, and how far it gets would depend on its caller."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

from evograft_graph_invariant.formulas.parser import Expr

MOST_LEVELS = 100
"""Levels of a syntax tree or of a formula; Python gives up at a few hundred."""

AROUND = 5
"""How many of them are around a formula, and in a column such as `n(G)`."""

Node = TypeVar("Node")


def is_deep_code(tree: ast.AST) -> bool:
    """Whether a syntax tree has more levels than may be walked through."""
    return _is_deep(tree, ast.iter_child_nodes, MOST_LEVELS)


def is_deep_formula(formula: Expr) -> bool:
    """Whether the syntax tree of a formula would have more."""
    return _is_deep(formula, lambda expr: expr.arguments, MOST_LEVELS - AROUND)


def _is_deep(root: Node, children: Callable[[Node], Iterable[Node]], most: int) -> bool:
    """Found without recursion."""
    level = [root]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
    return bool(level)

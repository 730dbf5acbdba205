"""How deep a tree is: what walks through trees recurs, and how far it gets would depend on who calls it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar

MOST_LEVELS = 100
"""Levels of a syntax tree or of a formula; Python gives up at a few hundred."""

Node = TypeVar("Node")


def is_deep(root: Node, children: Callable[[Node], Iterable[Node]]) -> bool:
    """Whether a tree has more levels than may be walked through; found without recursion."""
    level = [root]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in children(node)]
    return bool(level)


def is_deep_code(tree: ast.AST) -> bool:
    return is_deep(tree, ast.iter_child_nodes)

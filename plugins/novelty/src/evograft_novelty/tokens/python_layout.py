"""The layout of Python programs, about which the grammar is more lenient than Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tree_sitter import Node

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")
SUITES = ("block", "decorated_definition", "module")
BETWEEN_STATEMENTS = (";", "comment", "line_continuation")
CLAUSES = ("elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause")


def is_laid_out(module: Node, source: bytes) -> bool:
    """Return whether no line ends within a statement, and all statements of a block are indented alike.

    Where that is not so, Python reads another program than the grammar does, or none.
    """
    todo = [module]
    while todo:
        node = todo.pop()
        if node.type in SUITES:
            if not _is_aligned(node):
                return False
            todo += node.children
        elif node.start_point.row < node.end_point.row and not _is_enclosed(node):
            outside = list(_outside_brackets(node.children))
            if any(_breaks_line(*pair, node, source) for pair in outside):
                return False
            todo += node.children[:1] + [second for _, second in outside]
    return True


def _is_aligned(suite: Node) -> bool:
    statements = [child for child in suite.children if child.type not in BETWEEN_STATEMENTS]
    columns = {
        child.start_point.column
        for before, child in zip([None, *statements], statements, strict=False)
        if before is None or before.end_point.row < child.start_point.row
    }
    return columns <= {0} if suite.type == "module" else len(columns) <= 1


def _is_enclosed(node: Node) -> bool:
    """Return whether it is a literal or stands in brackets, where lines may end anywhere."""
    return node.type == "string" or node.child_count == 0 or node.children[0].type in OPENING


def _outside_brackets(children: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    depth = 0
    for before, child in pairwise(children):
        depth += before.type in OPENING
        if not depth:
            yield before, child
        depth -= child.type in CLOSING


def _breaks_line(before: Node, child: Node, statement: Node, source: bytes) -> bool:
    """Return whether a line ends between the two parts of a statement, and should not."""
    if before.end_point.row == child.start_point.row or child.type in ("block", "comment"):
        return False
    if child.type in CLAUSES:
        return child.start_point.column != statement.start_point.column
    return b"\n" in source[before.end_byte : child.start_byte].replace(b"\\\n", b"")

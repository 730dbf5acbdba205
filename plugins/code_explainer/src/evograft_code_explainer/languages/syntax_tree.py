"""Syntax trees of programs; for a process of its own, because a short program can make a parser fill all memory."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from evograft.text.parsing import ParserStuck, parse_until
from evograft_code_explainer.languages.language import CodeLanguage

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

SECONDS = 0.25
SECONDS_PER_BYTE = 1e-6
"""Processor time for a program: many times what an ordinary one takes."""

WIDEST_ERROR = 2000
"""Children of a node that stands for what could not be parsed."""

Match = dict[str, list["Node"]]
"""The nodes of one place that a pattern fits, by the names it gives them."""


class TooHardToParse(Exception):  # noqa: N818 - it says what happened
    """A program took too long to parse."""


def find_matches(source: bytes, language: CodeLanguage) -> list[Match]:
    """Return the definitions and imports of a program, as far as it can be read; raise `TooHardToParse`."""
    from tree_sitter import QueryCursor

    tree = _parse(source, language)
    if _is_wreck(tree):
        raise TooHardToParse
    return [match for _, match in QueryCursor(language.captures).matches(tree.root_node)]


def _parse(source: bytes, language: CodeLanguage) -> Tree:
    from tree_sitter import Parser

    end = time.thread_time() + SECONDS + len(source) * SECONDS_PER_BYTE
    try:
        return parse_until(Parser(language.grammar), source, lambda: time.thread_time() > end)
    except ParserStuck as err:
        raise TooHardToParse from err


def _is_wreck(tree: Tree) -> bool:
    """Return whether a broken part is flat and wide: there a query takes time with the square of its width."""
    todo = [tree.root_node] if tree.root_node.has_error else []
    while todo:
        node = todo.pop()
        if node.is_error and node.child_count > WIDEST_ERROR:
            return True
        todo += [child for child in node.children if child.has_error]
    return False


def text_of(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")

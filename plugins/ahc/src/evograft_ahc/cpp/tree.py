"""C++ programs as trees, for operators that change them without a model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from evograft.text.parsing import ParserStuck, parse_text

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

LONGEST = 128 * 1024
"""Bytes; no longer program is looked at, so that time is bounded."""

Match = dict[str, list["Node"]]
"""The nodes of one place that a query fits, by the names it gives them."""


def parse_cpp(source: bytes) -> Node:
    """Return the root of a program's tree; of a broken program, as far as it can be read.

    A program that is too long, or that the grammar fails on, has an empty tree. Go down a tree, not up: a node
    looks for the one above it from the root on, and programs may be nested as deep as they are long.
    """
    from tree_sitter import Parser

    parser = Parser(_language())
    try:
        return parse_text(parser, source if len(source) <= LONGEST else b"").root_node
    except ParserStuck:
        return parser.parse(b"").root_node


def find_matches(root: Node, query: str) -> list[Match]:
    """Return the places that a tree-sitter query fits."""
    from tree_sitter import QueryCursor

    return [match for _, match in QueryCursor(_compiled(query)).matches(root)]


def text_of(node: Node | None) -> str:
    """Return the text of a node in the program; of no node, nothing."""
    text = node.text if node else None
    return text.decode(errors="replace") if text else ""


@cache
def _language() -> Language:
    import tree_sitter_cpp
    from tree_sitter import Language

    return Language(tree_sitter_cpp.language())


@cache
def _compiled(query: str) -> Query:
    from tree_sitter import Query

    return Query(_language(), query)

"""The functions of a C++ program, told apart by their signatures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from evograft_ahc.cpp.tree import parse_cpp, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

SCOPES = ("class_specifier", "struct_specifier", "namespace_definition")
"""What functions belong to."""
PARAMETERS = ("parameter_declaration", "optional_parameter_declaration")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class CppFunction:
    """A function where it stands, head and body."""

    signature: str
    """What it belongs to, and its head without the names of its parameters."""
    start: int
    end: int
    """Bytes in the source."""
    text: str
    words: frozenset[str]
    """All words in it."""


@dataclass(frozen=True)
class FunctionTable:
    """What a program consists of."""

    by_signature: Mapping[str, CppFunction]
    """The functions whose signature is theirs alone."""
    elsewhere: frozenset[str]
    """All words that stand outside of functions' bodies, such as the names of functions, types, members and globals."""
    is_broken: bool


@lru_cache(maxsize=512)
def read_functions(source: str) -> FunctionTable:
    """Read all functions with a body, methods included, but for those within functions."""
    root = parse_cpp(source.encode())
    found: list[CppFunction] = []
    elsewhere: set[str] = set()
    todo = [(child, "") for child in root.children]
    while todo:
        node, scope = todo.pop()
        body = node.child_by_field_name("body")
        if node.type == "function_definition" and body is not None and body.type == "compound_statement":
            found.append(_function(node, body, scope))
            elsewhere.update(_WORD.findall(found[-1].signature))
        elif node.children:
            inside = f"{scope}{text_of(node.child_by_field_name('name'))}::" if node.type in SCOPES else scope
            todo += [(child, inside) for child in node.children]
        elif node.type != "comment":
            elsewhere.update(_WORD.findall(text_of(node)))
    times = Counter(function.signature for function in found)
    once = {function.signature: function for function in reversed(found) if times[function.signature] == 1}
    return FunctionTable(once, frozenset(elsewhere), root.has_error)


def _function(node: Node, body: Node, scope: str) -> CppFunction:
    head = " ".join(word for child in node.children if child.id != body.id for word in _head(child))
    text = text_of(node)
    return CppFunction(scope + head, node.start_byte, node.end_byte, text, frozenset(_WORD.findall(text)))


def _head(node: Node) -> Iterator[str]:
    """Return the tokens of a part of a function's head, but for the names and usual values of parameters."""
    todo = [(node, False)]
    while todo:
        part, names_parameter = todo.pop()
        if part.type in PARAMETERS:
            declarator = part.child_by_field_name("declarator")
            usual = part.child_by_field_name("default_value")
            left = [child for child in part.children if child.type != "=" and not (usual and child.id == usual.id)]
            todo += [(child, declarator is not None and child.id == declarator.id) for child in reversed(left)]
        elif part.children:
            todo += [(child, names_parameter) for child in reversed(part.children)]
        elif not (names_parameter and part.type == "identifier"):
            yield text_of(part)

"""Gemfile: a program in Ruby, parsed but not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evograft.text.parsing import ParserStuck, parse_text
from evograft_env_setup.manifests.manifest import Dependency, ProjectManifest, Purpose, UnreadableManifest

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_LITERALS = 200
"""Signs that may open a literal within another: the time for n of them grows with n²."""
FOR_WORK = frozenset({":development", ":test"})


def read(text: str, path: str) -> ProjectManifest:
    del path
    if text.count("%") + text.count("<<") > MOST_LITERALS:
        raise UnreadableManifest("has more literals within one another than are read")
    try:
        root = _root(text)
    except ParserStuck as err:
        raise UnreadableManifest("takes too long to read") from err
    if root.has_error:
        raise UnreadableManifest("is no Ruby")
    found, ruby = [], ""
    for call, group in _calls(root):
        method, arguments = _name(call), _texts(call)
        if method == "gem" and arguments:
            found.append(_gem(arguments, group))
        elif method == "ruby" and arguments:
            ruby = arguments[0]
    return ProjectManifest(dependencies=tuple(found), versions={"ruby": ruby} if ruby else {})


def _root(text: str) -> Node:
    import tree_sitter_ruby
    from tree_sitter import Language, Parser

    return parse_text(Parser(Language(tree_sitter_ruby.language())), text.encode()).root_node


def _calls(root: Node) -> Iterator[tuple[Node, Purpose]]:
    """Yield calls from first to last, and whether they stand in a group for those who work on the project."""
    todo: list[tuple[Node, Purpose]] = [(root, "run")]
    while todo:
        node, purpose = todo.pop()
        if node.type == "call":
            yield node, purpose
            if _name(node) == "group" and FOR_WORK & set(_symbols(node)):
                purpose = "test"
        todo.extend((child, purpose) for child in reversed(node.named_children))


def _name(call: Node) -> str:
    method = call.child_by_field_name("method")
    return (method.text or b"").decode() if method and not call.child_by_field_name("receiver") else ""


def _arguments(call: Node, kind: str) -> Iterator[str]:
    arguments = call.child_by_field_name("arguments")
    for each in arguments.named_children if arguments else ():
        if each.type == kind:
            yield (each.text or b"").decode()


def _texts(call: Node) -> list[str]:
    return [each[1:-1] for each in _arguments(call, "string")]


def _symbols(call: Node) -> Iterator[str]:
    return _arguments(call, "simple_symbol")


def _gem(arguments: list[str], purpose: Purpose) -> Dependency:
    name, *asked = arguments
    return Dependency(name=name, ecosystem="ruby", asked=", ".join(asked), purpose=purpose)

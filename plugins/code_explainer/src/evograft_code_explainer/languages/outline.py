"""The definitions of a program, and what it imports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evograft_code_explainer.languages.syntax_tree import Match, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_HEAD = 300
"""Characters of what stands before a body."""


@dataclass(frozen=True)
class Definition:
    """A class, a function or the like."""

    first: int
    last: int
    """Its lines."""
    depth: int
    """How many definitions it stands in."""
    head: str
    """What stands before its body, in one line."""


def find_definitions(matches: Iterable[Match]) -> list[Definition]:
    """Return the definitions in their order."""
    nodes = {node.id: node for match in matches for node in match.get("definition", ())}
    found, open_ends = [], list[int]()
    for node in sorted(nodes.values(), key=lambda node: (node.start_byte, -node.end_byte)):
        while open_ends and open_ends[-1] <= node.start_byte:
            open_ends.pop()
        found.append(Definition(node.start_point.row + 1, node.end_point.row + 1, len(open_ends), _head(node)))
        open_ends.append(node.end_byte)
    return found


def _head(node: Node) -> str:
    """Up to the body, without comments that stand before it; of what has no body, the first line."""
    body = node.child_by_field_name("body")
    before = [
        child for child in node.children if body and child.end_byte <= body.start_byte and child.type != "comment"
    ]
    text = node.text or b""
    length = before[-1].end_byte - node.start_byte if before else (text.find(b"\n") + 1 or len(text))
    head = " ".join(text[:length].decode(errors="replace").split()).rstrip("{ ")
    return head[:LONGEST_HEAD]


def find_imports(matches: Iterable[Match]) -> list[str]:
    """Return the names of modules and files, each once, in their order.

    Python's come with what is taken from them, as `a.b:c`.
    """
    return list(dict.fromkeys(name for match in matches for name in _names(match)))


def _names(match: Match) -> list[str]:
    if "from" in match:
        return [f"{text_of(match['from'][0])}:{text_of(match['name'][0])}"]
    return [text_of(node).strip("\"'`") for capture in ("import", "use") for node in match.get(capture, ())]

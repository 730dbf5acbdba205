"""What a C++ program does with the names of its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evograft_ahc.cpp.tree import Match, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 300
"""Bytes of an operand, or of a value, that is looked into: operands may be nested as deep as a program is long."""
_CLOCK = re.compile(
    r"(?:^|[\W_]|(?<=[a-z])(?=[A-Z]))(?:[Ee]lapsed|ELAPSED|[Tt]ime|[Tt]imer|[Cc]lock|now|chrono)(?![a-z])"
)
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class NameUsage:
    """Names by what is done with them, wherever in the program."""

    compiled: frozenset[str]
    """What the compiler may need, as sizes of arrays, and what such values are made of."""
    changed: frozenset[str]
    """What is assigned to."""
    of_a_clock: frozenset[str]
    """What times are compared with, or divided by."""


def find_usage(matches: Iterable[Match]) -> NameUsage:
    """Return what is done with names, by the matches of a query with `compiled`, `changed`, `left` and `right`."""
    matches = list(matches)
    compiled = {name for node in find_all(matches, "compiled") for name in _NAME.findall(text_of(node))}
    return NameUsage(
        compiled=frozenset(_with_parts(compiled, matches)),
        changed=frozenset(text_of(node) for node in find_all(matches, "changed")),
        of_a_clock=frozenset(name for match in matches if "left" in match for name in _beside_clock(match)),
    )


def find_all(matches: Iterable[Match], name: str) -> list[Node]:
    """Return the nodes of this name."""
    return [node for match in matches for node in match.get(name, ())]


def _with_parts(names: set[str], matches: Iterable[Match]) -> set[str]:
    """Return names, and those that their values are made of."""
    parts = {
        text_of(match["name"][0]): set(_NAME.findall(_short(match["value"][0])))
        for match in matches
        if "name" in match and "value" in match
    }
    found, todo = set[str](), list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += parts.get(name, ())
    return found


def _beside_clock(match: Match) -> Iterator[str]:
    left, right = _short(match["left"][0]), _short(match["right"][0])
    if _CLOCK.search(left):
        yield from _NAME.findall(right)
    if _CLOCK.search(right):
        yield from _NAME.findall(left)


def _short(node: Node) -> str:
    return text_of(node) if node.end_byte - node.start_byte <= LONGEST else ""

"""The programs that a command line calls, found by the shell's own grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from evograft.text.parsing import ParserStuck, parse_text

if TYPE_CHECKING:
    from tree_sitter import Language, Node

LONGEST = 4_000
"""Bytes of a line that is read. The parser takes memory with the square of some lines: 20 KB of `a|` take 1.3 GB."""
AS_LETTERS = bytes(range(0x80)) + b"_" * 0x80
"""How bytes are shown to the parser. None outside of ASCII is syntax to a shell, and the grammar's own scanner looks
characters up in a table that ends before most of them: it crashes the process on some."""
WRAPPERS = frozenset({"sudo", "env", "command", "exec", "nice", "time"})
"""Programs that call the one that is named after them."""


@dataclass(frozen=True)
class Invocation:
    """A call of a program: its words as they stand in the line."""

    words: tuple[str, ...]
    """The program's name without its folder, then its arguments."""
    name_end: int
    """Where in the line's bytes the program's name ends."""
    end: int
    """Where its last argument ends."""


def find_invocations(command: str) -> Iterator[Invocation]:
    """Find what a command line calls; nothing if it is too long, or the grammar fails on it.

    Calls are found behind `&&`, in pipes, in subshells and in substitutions as well.
    """
    import tree_sitter

    line = command.encode(errors="replace")
    if len(line) > LONGEST:
        return
    language = _load_language()
    try:
        tree = parse_text(tree_sitter.Parser(language), line.translate(AS_LETTERS))
    except ParserStuck:
        return
    query = tree_sitter.Query(language, "(command) @call")
    calls = tree_sitter.QueryCursor(query).captures(tree.root_node).get("call", [])
    for call in sorted(calls, key=lambda node: node.start_byte):
        yield from _invocation(call, line)


@cache
def _load_language() -> Language:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def _invocation(call: Node, line: bytes) -> Iterator[Invocation]:
    nodes = [node for node in call.named_children if node.type not in {"variable_assignment", "file_redirect"}]
    words = [line[node.start_byte : node.end_byte].decode(errors="replace") for node in nodes]
    first = 0
    while first < len(words) - 1 and (words[first] in WRAPPERS or words[first].startswith("-") or "=" in words[first]):
        first += 1
    if words:
        name = words[first].rpartition("/")[2]
        yield Invocation((name, *words[first + 1 :]), nodes[first].end_byte, nodes[-1].end_byte)

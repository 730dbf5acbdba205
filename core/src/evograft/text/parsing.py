"""Parsing of programs that somebody else wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

CHUNK = 4096
"""Bytes that a parser is given at a time: it goes back at times, and what it is given is a copy."""
STEPS, STEPS_PER_BYTE = 1000, 0.1
"""The most calls of the parser's own progress report, each some hundred operations: programs that were broken at random
took a twelfth of that."""


class ParserStuck(Exception):  # noqa: N818 - it says what happened
    """A parser does not finish with a text, or takes far too much work."""


def parse_text(parser: Parser, source: bytes) -> Tree:
    """Return the syntax tree of a text that may be hostile.

    Work is counted and not timed, so the same text is given up everywhere or nowhere. It is needed: with the grammar of
    C (tree-sitter-c 0.24.2), the 14 bytes `""|>!""(%w(=n}` never end, and nothing interrupts the parser then. Memory is
    not bounded: callers limit the length of what they give.

    Raises:
        ParserStuck: it takes a multiple of the work that any program takes.
    """
    left = STEPS + int(len(source) * STEPS_PER_BYTE)

    def is_too_much() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    return parse_until(parser, source, is_too_much)


def parse_until(parser: Parser, source: bytes, is_too_much: Callable[[], bool]) -> Tree:
    """Return the syntax tree of a text, unless a function that is asked again and again says that it is too much.

    Raises:
        ParserStuck: it said so.
    """
    try:
        return parser.parse(lambda at, _: source[at : at + CHUNK], progress_callback=lambda *_: is_too_much())
    except ValueError as err:
        parser.reset()
        raise ParserStuck from err

"""Lets a counted loop run by the clock, with the timer of the algorithm library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evograft_ahc.cpp.tree import Match, find_matches, parse_cpp, text_of
from evograft_ahc.library.blocks import LibraryBlock

if TYPE_CHECKING:
    from tree_sitter import Node

TIMER = "timer"
"""The block of the library that is put in."""

QUERY = """
(for_statement
    initializer: (declaration
        declarator: (init_declarator declarator: (identifier) @counter value: (number_literal) @first))
    condition: (binary_expression left: (identifier) @left operator: "<" right: [(identifier) (number_literal)] @bound)
    update: (update_expression) @update
    body: (compound_statement) @body) @loop
"""
_TAKEN = re.compile(r"\b(chrono|clock|clock_gettime|gettimeofday|rdtsc|__rdtsc|timer|pace|PACE_SECONDS)\b")
"""A program that looks at the clock is left alone, and so is one with names that would clash."""
_LONGEST_RATIO = 200
"""Bytes."""


@dataclass(frozen=True)
class CountedLoop:
    """A loop whose counter says nothing but how far it has got."""

    head: tuple[int, int]
    """From where to where in the source, in bytes."""
    progress: tuple[tuple[int, int], ...]
    """The places where it asks how far it has got."""
    includes_end: int
    """Where the block can be put."""


def find_counted_loop(source: str) -> CountedLoop | None:
    """Return the only loop of a program that can run by the clock as well.

    `None`: there is none, or more than one.

    `for (int step = 0; step < STEPS; ++step) { … double(step) / STEPS … }` is one if `step` stands nowhere else: then
    no step does work of its own, and the loop may have as many as it gets done.
    """
    if _TAKEN.search(source):
        return None
    root = parse_cpp(source.encode())
    includes_end = max((node.end_byte for node in root.children if node.type == "preproc_include"), default=0)
    loops = [loop for match in find_matches(root, QUERY) if (loop := _read(match, includes_end))]
    return loops[0] if len(loops) == 1 else None


def run_by_clock(source: str, loop: CountedLoop, timer: LibraryBlock, *, seconds: float) -> str:
    """Return the program with a loop that runs for some seconds."""
    text = source.encode()
    changes = [
        *((*place, b"pace.progress()") for place in loop.progress),
        (*loop.head, b"for (timer::SparseTimer<16> pace(PACE_SECONDS); !pace.over();) "),
        (loop.includes_end, loop.includes_end, _block(timer, seconds).encode()),
    ]
    for start, end, new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text.decode()


def _block(timer: LibraryBlock, seconds: float) -> str:
    return f"\n{timer.code.strip()}\n\nconstexpr double PACE_SECONDS = {seconds:g};\n"


def _read(match: Match, includes_end: int) -> CountedLoop | None:
    loop, body = match["loop"][0], match["body"][0]
    counter, first, left, bound, update = (
        text_of(match[name][0]) for name in ("counter", "first", "left", "bound", "update")
    )
    if first != "0" or left != counter or update not in (f"++{counter}", f"{counter}++"):
        return None
    ratio = re.compile(
        rf"(double\({counter}\)|\(double\)\s*{counter}|static_cast<double>\({counter}\)|1\.0?\s*\*\s*{counter})"
        rf"\s*/\s*{re.escape(bound)}"
    )
    progress: list[tuple[int, int]] = []
    for node in _uses(body, counter, ratio):
        if node.type == "identifier":
            return None
        progress.append((node.start_byte, node.end_byte))
    return CountedLoop((loop.start_byte, body.start_byte), tuple(progress), includes_end) if progress else None


def _uses(body: Node, counter: str, ratio: re.Pattern[str]) -> Iterator[Node]:
    """Find where the loop asks how far it has got, and where its counter stands otherwise."""
    todo = [body]
    while todo:
        node = todo.pop()
        is_counter = node.type == "identifier" and text_of(node) == counter
        if is_counter or _is_ratio(node, ratio):
            yield node
        else:
            todo += node.children


def _is_ratio(node: Node, ratio: re.Pattern[str]) -> bool:
    is_short = node.end_byte - node.start_byte <= _LONGEST_RATIO
    return node.type == "binary_expression" and is_short and ratio.fullmatch(text_of(node)) is not None

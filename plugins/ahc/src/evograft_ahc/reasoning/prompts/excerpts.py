"""Parts of a C++ program that a prompt points at: functions, and loops within them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from evograft_ahc.cpp.tree import parse_cpp, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 6000
"""Characters of an excerpt. The whole program stands elsewhere in the prompt."""
SHORTEST = 3
"""Lines: of less there is little to say."""

_MARK = re.compile(r"EVOLVE-BLOCK-(START|END)")
_CLOCK = re.compile(r"\b(?:steady_clock|high_resolution_clock|system_clock|clock|clock_gettime|gettimeofday|__rdtsc)\b")
_INPUT_OUTPUT = re.compile(r"\b(?:cin|cout|scanf|printf|puts|getchar|putchar)\b")
"""What reads or prints costs nothing next to a search, and decides nothing."""
_INPUT = re.compile(r"\b(?:cin|scanf|getchar)\b")
_MAIN = re.compile(r"\bmain\s*\(")
_LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement")
_FUNCTION = "function_definition"


@dataclass(frozen=True)
class Excerpt:
    """A piece of a program."""

    text: str
    first: int
    """Its first line, from 0."""
    last: int

    @property
    def lines(self) -> int:
        return self.last - self.first + 1

    @property
    def heading(self) -> str:
        """What stands before the body of a function, on one line."""
        return " ".join(self.text.partition("{")[0].split())

    @property
    def only_reads(self) -> bool:
        """Whether this is a function that reads the input, and neither `main` nor a search by the clock."""
        return bool(_INPUT.search(self.text)) and not _MAIN.search(self.heading) and not reads_clock(self.text)

    def holds(self, other: Excerpt) -> bool:
        return self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class Excerpts:
    """What may be pointed at: where a program has EVOLVE-BLOCK marks, only what is between them."""

    functions: tuple[Excerpt, ...]
    loops: tuple[Excerpt, ...]
    """The outermost ones."""
    enclosing: tuple[Excerpt, ...]
    """All functions, those too that are too long or outside of the marks."""

    def draw_function(self, rng: random.Random) -> Excerpt | None:
        """Draw a function, the longer and the more it loops the likelier: that is where time goes and ideas are."""
        return _drawn(rng, self.functions, [self._weight(each) for each in self.functions])

    def draw_part(self, rng: random.Random) -> Excerpt | None:
        """Draw a loop, or a function if there is none: of short loops there are many, and they prepare things."""
        parts = self.loops or self.functions
        return _drawn(rng, parts, [part.lines**2 for part in parts])

    def without_input_output(self) -> Excerpts:
        """Return the parts that neither read nor print, nor prepare what is read, as far as there are such."""
        readers = [each for each in self.enclosing if each.only_reads]
        loops = tuple(loop for loop in self.loops if not any(reader.holds(loop) for reader in readers))
        return Excerpts(_that_compute(self.functions), _that_compute(loops or self.loops), self.enclosing)

    def find_function(self, part: Excerpt) -> Excerpt | None:
        """Return the function that a loop stands in."""
        return next((each for each in self.enclosing if each.holds(part) and each != part), None)

    def _weight(self, function: Excerpt) -> int:
        return function.lines + sum(loop.lines for loop in self.loops if function.holds(loop))


@lru_cache(maxsize=64)
def find_excerpts(source: str) -> Excerpts:
    """Return the parts of a program; a broken one has those that could be made out."""
    allowed = _between_marks(source)
    functions: list[Excerpt] = []
    loops: list[Excerpt] = []
    enclosing: list[Excerpt] = []
    for node in _outermost(source.encode()):
        excerpt = _excerpt(node)
        if node.type == _FUNCTION:
            enclosing.append(excerpt)
        if excerpt.lines >= SHORTEST and len(excerpt.text) <= LONGEST and _is_within(excerpt, allowed):
            (functions if node.type == _FUNCTION else loops).append(excerpt)
    return Excerpts(tuple(functions), tuple(loops), tuple(enclosing))


def extract_difference(one: str, other: str) -> str:
    """Return the functions of a program that the other has not word for word; the program if it has no functions."""
    known = {" ".join(each.text.split()) for each in find_excerpts(other).functions}
    found = [each.text for each in find_excerpts(one).functions if " ".join(each.text.split()) not in known]
    return "\n\n".join(_as_fit(found)) if found else one[:LONGEST]


def reads_clock(source: str) -> bool:
    """Return whether a program looks at a clock, as those do that search until their time is up."""
    return bool(_CLOCK.search(source))


def _that_compute(parts: tuple[Excerpt, ...]) -> tuple[Excerpt, ...]:
    return tuple(part for part in parts if not _INPUT_OUTPUT.search(part.text)) or parts


def _drawn(rng: random.Random, parts: tuple[Excerpt, ...], weights: list[int]) -> Excerpt | None:
    return rng.choices(parts, weights)[0] if parts else None


def _as_fit(texts: list[str]) -> Iterator[str]:
    room = LONGEST
    for text in texts:
        room -= len(text)
        if room < 0:
            return
        yield text


def _outermost(source: bytes) -> Iterator[Node]:
    """Find all functions and outermost loops, without recursion: a program may be nested deeply."""
    todo = [(parse_cpp(source), False)]
    while todo:
        node, in_loop = todo.pop()
        is_loop = node.type in _LOOPS
        if node.type == _FUNCTION or (is_loop and not in_loop):
            yield node
        todo += [(child, in_loop or is_loop) for child in reversed(node.named_children)]


def _excerpt(node: Node) -> Excerpt:
    indent = " " * node.start_point.column
    return Excerpt(text_of(node).replace(f"\n{indent}", "\n"), node.start_point.row, node.end_point.row)


def _between_marks(source: str) -> list[tuple[int, int]] | None:
    """First and last line of what may change; `None`: all of it."""
    marks = [number for number, line in enumerate(source.split("\n")) if _MARK.search(line)]
    return [(start + 1, end - 1) for start, end in zip(marks[::2], marks[1::2], strict=False)] if marks else None


def _is_within(excerpt: Excerpt, allowed: list[tuple[int, int]] | None) -> bool:
    return allowed is None or any(first <= excerpt.first and excerpt.last <= last for first, last in allowed)

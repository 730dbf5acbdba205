"""Changes between two programs of several files, bounded in length and in work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from evograft.text.escapes import sanitize, truncate

CONTEXT = 3
MOST_CHARACTERS = 2_000_000
"""The length of a file that is looked into."""
MOST_COMPARED = 1000
"""Lines of a file between its unchanged beginning and end: comparing takes their square in the worst case."""
MOST_FILES = 10
MOST_PAIRS = 2000
"""Lines that are compared with what they were, in a whole report."""
MOST_WORDS = 150
"""Of a line, for that to be done."""
WIDTH = 400
ALIKE = 0.3
"""Lines that are less alike than this are shown as exchanged whole."""

Sign = Literal["+", "-", " ", "@"]
Files = Mapping[str, str]
Step = tuple[str, int, int, int, int]
"""As `SequenceMatcher` says it: what to do with lines a to b of the old, to get lines c to d of the new."""


@dataclass(frozen=True)
class Piece:
    """A part of a line."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class Line:
    """A line of a diff; `@` stands for unchanged lines that are not shown."""

    sign: Sign
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class FileDiff:
    """Changes in a file."""

    path: str
    lines: tuple[Line, ...]
    left_out: int = 0
    """Lines of the diff that are not shown."""
    added: int = 0
    removed: int = 0
    too_long: bool = False
    """Whether it was too much to be compared line by line."""


class Differ:
    """Compares programs; within lines only so often, because hostile lines take a hundred times as long as others."""

    def __init__(self) -> None:
        self._pairs_left = MOST_PAIRS

    def changes(self, before: Files, after: Files, *, lines: int) -> tuple[FileDiff, ...]:
        """Return the files that differ, the first `MOST_FILES` of them.

        Args:
            before: path to text; empty for a program that comes from nowhere.
            after: the same.
            lines: how many lines of all diffs together are shown.
        """
        found: list[FileDiff] = []
        for path in find_different(before, after)[:MOST_FILES]:
            diff = self._file(path, before.get(path, ""), after.get(path, ""), lines)
            lines -= len(diff.lines)
            found.append(diff)
        return tuple(found)

    def _file(self, path: str, before: str, after: str, room: int) -> FileDiff:
        path = sanitize(path, 200)
        if max(len(before), len(after)) > MOST_CHARACTERS:
            return FileDiff(path, (), added=after.count("\n"), removed=before.count("\n"), too_long=True)
        old, new = before.splitlines(), after.splitlines()
        head = _count_common(old, new)
        tail = _count_common(old[head:][::-1], new[head:][::-1])
        above, below = old[:head], old[len(old) - tail :]
        old, new = old[head : len(old) - tail], new[head : len(new) - tail]
        if max(len(old), len(new)) > MOST_COMPARED:
            return FileDiff(path, (), added=len(new), removed=len(old), too_long=True)
        steps = SequenceMatcher(None, old, new).get_opcodes()
        added = sum(d - c for tag, _, _, c, d in steps if tag != "equal")
        removed = sum(b - a for tag, a, b, _, _ in steps if tag != "equal")
        if room <= 0:
            return FileDiff(path, (), left_out=added + removed, added=added, removed=removed)
        lines = list(_add_context(list(self._lines(old, new, steps)), above, below))
        return FileDiff(path, tuple(lines[:room]), max(0, len(lines) - room), added=added, removed=removed)

    def _lines(self, old: list[str], new: list[str], steps: Iterable[Step]) -> Iterator[Line]:
        for tag, a, b, c, d in steps:
            if tag == "equal":
                yield from (_line(" ", text) for text in old[a:b])
                continue
            pairs = [self._within(*pair) for pair in zip(old[a:b], new[c:d], strict=False)] if b - a == d - c else []
            yield from (Line("-", pieces) for pieces, _ in pairs)
            yield from (Line("+", pieces) for _, pieces in pairs)
            yield from (_line("-", text) for text in old[a:b][len(pairs) :])
            yield from (_line("+", text) for text in new[c:d][len(pairs) :])

    def _within(self, old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Return what of a line has changed; all of it if it is long or little is left."""
        if max(len(old), len(new)) > WIDTH or not self._pairs_left:
            return (_whole(old),), (_whole(new),)
        one, other = _words(old), _words(new)
        if max(len(one), len(other)) > MOST_WORDS:
            return (_whole(old),), (_whole(new),)
        self._pairs_left -= 1
        matcher = SequenceMatcher(None, one, other, autojunk=False)
        if matcher.ratio() < ALIKE:
            return (_whole(old),), (_whole(new),)
        left, right = [], []
        for tag, a, b, c, d in matcher.get_opcodes():
            left.append(Piece(truncate("".join(one[a:b])), tag != "equal"))
            right.append(Piece(truncate("".join(other[c:d])), tag != "equal"))
        return tuple(piece for piece in left if piece.text), tuple(piece for piece in right if piece.text)


def find_different(before: Files, after: Files) -> list[str]:
    """Return the paths of the files that differ."""
    return [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]


def _count_common(one: list[str], other: list[str]) -> int:
    """Count the lines that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _add_context(changes: list[Line], before: list[str], after: list[str]) -> Iterator[Line]:
    """Yield the changes among a few unchanged lines, with a mark where more of those stand."""
    around = (before[-CONTEXT - 1 :], after[: CONTEXT + 1])
    above, below = ([_line(" ", text) for text in texts] for texts in around)
    lines = [*above, *changes, *below]
    changed = [place for place, line in enumerate(lines) if line.sign != " "]
    near = {place + step for place in changed for step in range(-CONTEXT, CONTEXT + 1)}
    for place, line in enumerate(lines):
        if place in near:
            yield line
        elif not place or place - 1 in near:
            yield Line("@", ())


def _words(line: str) -> list[str]:
    return re.findall(r"\d+\.\d+|\w+|\s+|.", line)


def _whole(text: str) -> Piece:
    return Piece(truncate(text, WIDTH))


def _line(sign: Sign, text: str) -> Line:
    return Line(sign, (_whole(text),))

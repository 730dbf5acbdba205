"""What changed between two programs of several files, bounded in length and in work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from evograft.report.clip import short, told

CONTEXT = 3
MOST_COMPARED = 1000
"""Lines of a file between its unchanged beginning and end: comparing takes their square in the worst case."""
MOST_FILES = 10
WIDTH = 400
ALIKE = 0.3
"""Lines that are less alike than this are shown as exchanged whole."""

Sign = Literal["+", "-", " ", "@"]
Files = Mapping[str, str]


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
    """What changed in a file."""

    path: str
    lines: tuple[Line, ...]
    left_out: int = 0
    """Lines of the diff that are not shown."""
    added: int = 0
    removed: int = 0
    too_long: bool = False
    """Whether it was too much to be compared line by line."""


def diff_of(before: Files, after: Files, *, lines: int) -> tuple[FileDiff, ...]:
    """The files that differ.

    Args:
        before: path to text; empty for a program that comes from nowhere.
        after: the same.
        lines: how many lines of all diffs together are shown.
    """
    found: list[FileDiff] = []
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path) and len(found) < MOST_FILES:
            diff = _file_diff(path, before.get(path, ""), after.get(path, ""), lines)
            lines -= len(diff.lines)
            found.append(diff)
    return tuple(found)


def _file_diff(path: str, before: str, after: str, room: int) -> FileDiff:
    old, new = before.splitlines(), after.splitlines()
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_core, new_core = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(old_core), len(new_core)) > MOST_COMPARED:
        return FileDiff(told(path, 200), (), added=len(new_core), removed=len(old_core), too_long=True)
    changes = list(_changes(old_core, new_core))
    shown = list(_with_context(changes, old[:head], old[len(old) - tail :]))
    return FileDiff(
        told(path, 200),
        tuple(shown[: max(0, room)]),
        left_out=max(0, len(shown) - max(0, room)),
        added=sum(line.sign == "+" for line in changes),
        removed=sum(line.sign == "-" for line in changes),
    )


def _common(one: list[str], other: list[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _changes(old: list[str], new: list[str]) -> Iterator[Line]:
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            yield from (_line(" ", text) for text in old[a:b])
        elif tag == "replace" and b - a == d - c:
            pairs = [_within(one, other) for one, other in zip(old[a:b], new[c:d], strict=True)]
            yield from (Line("-", pieces) for pieces, _ in pairs)
            yield from (Line("+", pieces) for _, pieces in pairs)
        else:
            yield from (_line("-", text) for text in old[a:b])
            yield from (_line("+", text) for text in new[c:d])


def _with_context(changes: list[Line], before: list[str], after: list[str]) -> Iterator[Line]:
    """The changes among a few unchanged lines, a mark where more of those stand."""
    lines = [
        *(_line(" ", text) for text in before[-CONTEXT - 1 :]),
        *changes,
        *(_line(" ", text) for text in after[: CONTEXT + 1]),
    ]
    near = [False] * len(lines)
    for place, line in enumerate(lines):
        if line.sign != " ":
            near[max(0, place - CONTEXT) : place + CONTEXT + 1] = [True] * len(
                near[max(0, place - CONTEXT) : place + CONTEXT + 1]
            )
    skipping = False
    for line, shown in zip(lines, near, strict=True):
        if shown:
            yield line
        elif not skipping:
            yield Line("@", ())
        skipping = not shown


def _within(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """What of a line has changed; all of it where it is long or little is left."""
    if max(len(old), len(new)) > WIDTH:
        return (_whole(old),), (_whole(new),)
    one, other = _words(old), _words(new)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < ALIKE:
        return (_whole(old),), (_whole(new),)
    left, right = [], []
    for tag, a, b, c, d in matcher.get_opcodes():
        left.append(Piece(short("".join(one[a:b])), tag != "equal"))
        right.append(Piece(short("".join(other[c:d])), tag != "equal"))
    return tuple(piece for piece in left if piece.text), tuple(piece for piece in right if piece.text)


def _words(line: str) -> list[str]:
    return re.findall(r"\d+\.\d+|\w+|\s+|.", line)


def _whole(text: str) -> Piece:
    return Piece(short(text, WIDTH))


def _line(sign: Sign, text: str) -> Line:
    return Line(sign, (_whole(text),))

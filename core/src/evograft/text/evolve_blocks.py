"""`EVOLVE-BLOCK-START` and `EVOLVE-BLOCK-END`: marks between which a program may change.

Every line that holds one of the two words is a mark, whatever comment it stands in, and belongs to the outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

START, END = "EVOLVE-BLOCK-START", "EVOLVE-BLOCK-END"

_MARK = re.compile(rf"{START}|{END}")


class MarksBroken(ValueError):  # noqa: N818 - it says what is the matter
    """Marks that are nested, or without a partner; the message names the line."""


@dataclass(frozen=True)
class Skeleton:
    """A text taken apart at its marks: outside, inside, outside, …, outside."""

    outside: tuple[str, ...]
    """One piece more than `inside`; the marks' own lines are in here."""
    inside: tuple[str, ...]

    def filled(self, inside: Iterable[str]) -> str:
        """Return the text with other insides."""
        pieces = [self.outside[0]]
        for own, following in zip(inside, self.outside[1:], strict=True):
            pieces += (own, following)
        return "".join(pieces)


def is_marked(files: Mapping[str, str]) -> bool:
    """Return whether any file has marks: then only what is between marks may change."""
    return any(_MARK.search(text) for text in files.values())


def files_to_change(files: Mapping[str, str]) -> list[str]:
    """Return the paths of the files that may change: those with marks if there are marks at all, else every one."""
    marked = [path for path, text in files.items() if _MARK.search(text)]
    return marked or list(files)


def take_apart(text: str) -> Skeleton:
    """Split a text at its marks; without marks all of it is outside.

    Raises:
        MarksBroken: nested or unbalanced marks, or two on one line.
    """
    outside, inside = [""], []
    current: list[str] = []
    opened = 0
    for number, line in enumerate(re.split(r"(?<=\n)", text), 1):
        marks = _MARK.findall(line)
        if not marks:
            current.append(line)
            continue
        _check_turn(marks, opened, number)
        if opened:
            inside.append("".join(current))
            outside.append(line)
            current, opened = [], 0
        else:
            outside[-1] += "".join((*current, line))
            current, opened = [], number
    if opened:
        raise MarksBroken(f"line {opened}: {START} without {END}")
    outside[-1] += "".join(current)
    return Skeleton(tuple(outside), tuple(inside))


def find_broken_marks(files: Mapping[str, str]) -> str:
    """Return file and line of the first mark that is nested or without a partner; empty if there is none."""
    for path, text in files.items():
        try:
            take_apart(text)
        except MarksBroken as err:
            return f"{path}, {err}"
    return ""


def empty_blocks(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files with nothing between their marks."""
    skeletons = {path: take_apart(text) for path, text in files.items()}
    return {path: each.filled([""] * len(each.inside)) for path, each in skeletons.items()}


def _check_turn(marks: list[str], opened: int, number: int) -> None:
    if len(marks) > 1:
        raise MarksBroken(f"line {number} holds more than one mark")
    if marks[0] == START and opened:
        raise MarksBroken(f"line {number}: {START} inside of the block that line {opened} started")
    if marks[0] == END and not opened:
        raise MarksBroken(f"line {number}: {END} without {START}")

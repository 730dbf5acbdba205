"""`EVOLVE-BLOCK-START` and `EVOLVE-BLOCK-END`: what stands outside of such marks never changes.

Every line that holds one of the two words is a mark, whatever comment it stands in, and belongs to the outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evograft_hookspecs import CandidateRejected, StartRefused
from evograft_operators.models.text import line_end_of, one_line, same_text

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


def check_frozen(base: Mapping[str, str], path: str, who: str) -> None:
    """Refuse a change of a file without marks where another one has some.

    Raises:
        CandidateRejected: naming the change by `who`, the file, and the files that may change.
    """
    open_files = files_to_change(base)
    if path in base and path not in open_files:
        raise CandidateRejected(
            f"{who} changes {path}, which is read-only because it has no EVOLVE-BLOCK marks: "
            f"change only what is between the marks of {', '.join(open_files)}"
        )


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


def check_marks(files: Mapping[str, str], whose: str) -> None:
    """Refuse a program whose own marks are broken, before a model is asked to work on it.

    Raises:
        CandidateRejected: with file and line.
    """
    broken = find_broken_marks(files)
    if broken:
        raise CandidateRejected(f"the EVOLVE-BLOCK marks of {whose} are broken: {broken}")


def check_seeds(seeds: Iterable[Mapping[str, str]]) -> None:
    """Refuse a problem with a seed program whose marks are broken: no candidate could be made from it.

    Raises:
        StartRefused: with file and line.
    """
    for number, files in enumerate(seeds):
        broken = find_broken_marks(files)
        if broken:
            raise StartRefused(f"the EVOLVE-BLOCK marks of seed program {number} are broken: {broken}")


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


def keep_outside(base: Mapping[str, str], child: Mapping[str, str]) -> dict[str, str]:
    """Return the base with the child's insides, block by block; what else the child changes is dropped.

    Args:
        base: a program with marks.
        child: another version of it.

    Raises:
        CandidateRejected: the child has other files, changes one without marks, or has blocks that do not match one to
            one.
    """
    added = [path for path in child if path not in base]
    if added:
        raise CandidateRejected(f"{one_line(added[0])} is a new file: only text between EVOLVE-BLOCK marks may change")
    for path, text in base.items():
        if not same_text(text, child[path]):
            check_frozen(base, path, "the answer")
    return {path: _insert(path, text, child[path]) for path, text in base.items()}


def check_outside(base: Mapping[str, str], path: str, text: str, who: str) -> None:
    """Refuse an edited file whose outside is not exactly the base's.

    Raises:
        CandidateRejected: naming the edit by `who`, and the file where it has no marks.
    """
    check_frozen(base, path, who)
    try:
        same = path in base and take_apart(text).outside == take_apart(base[path]).outside
    except MarksBroken:
        same = False
    if not same:
        raise CandidateRejected(f"{who} changes text outside of the EVOLVE-BLOCK marks, or the marks: keep it as it is")


def _check_turn(marks: list[str], opened: int, number: int) -> None:
    if len(marks) > 1:
        raise MarksBroken(f"line {number} holds more than one mark")
    if marks[0] == START and opened:
        raise MarksBroken(f"line {number}: {START} inside of the block that line {opened} started")
    if marks[0] == END and not opened:
        raise MarksBroken(f"line {number}: {END} without {START}")


def _insert(path: str, base: str, child: str) -> str:
    if base == child:
        return base
    skeleton = take_apart(base)
    try:
        inside = take_apart(child).inside
    except MarksBroken as err:
        raise CandidateRejected(f"{path}: the EVOLVE-BLOCK marks of the answer are broken: {err}") from err
    if len(inside) != len(skeleton.inside):
        raise CandidateRejected(
            f"{path}: the answer has {_split_blocks(len(inside))}, the program has {len(skeleton.inside)}: "
            "give the whole file, with the marks as they are"
        )
    end = line_end_of(base)
    return skeleton.filled(text.replace("\r\n", "\n").replace("\n", end) for text in inside)


def _split_blocks(count: int) -> str:
    return f"{count or 'no'} EVOLVE-BLOCK{'' if count == 1 else 's'}"

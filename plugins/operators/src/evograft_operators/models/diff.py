"""SEARCH/REPLACE blocks: reading them from an answer, and applying them to a program.

    <<<<<<< SEARCH
    lines of the program
    =======
    lines that take their place
    >>>>>>> REPLACE

The three marks of a block are of one length, at least five: a block with longer ones can hold lines that look like
marks. What a block is indented by, as in a list, is not part of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from evograft_hookspecs import CandidateRejected
from evograft_operators.models.fences import read_info
from evograft_operators.models.nearest_lines import describe_nearest
from evograft_operators.models.paths import check_path, path_in_line, tidy_path
from evograft_operators.models.text import line_end_of, list_some, quote

_OPENING = re.compile(r"([ \t]*)(<{5,}) ?SEARCH\s*", re.IGNORECASE)
_MARK = re.compile(r"[ \t]*(<{5,}|>{5,}) ?[A-Za-z]+\s*")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*([^`\n]*)")
_SHOWN_PLACES = 5


@dataclass(frozen=True)
class SearchReplace:
    """One block."""

    number: int
    """From 1, as the model counts them."""
    search: tuple[str, ...]
    """Lines without their ends."""
    replace: tuple[str, ...]
    path: str | None = None

    def __str__(self) -> str:
        return f"SEARCH/REPLACE block {self.number}{f' ({self.path})' if self.path else ''}"


def has_edits(text: str) -> bool:
    """Return whether a text holds the beginning of a block."""
    return any(_OPENING.fullmatch(line) for line in text.split("\n"))


def find_mark(text: str) -> str | None:
    """Return a line that marks the begin or the end of an edit, in this form or another; `None` if there is none."""
    return next((line.strip() for line in text.split("\n") if _MARK.fullmatch(line)), None)


def read_edits(text: str, known: Collection[str] = ()) -> list[SearchReplace]:
    """Return all blocks of an answer, each with the path that was named last before it.

    Raises:
        CandidateRejected: a block has no end or no middle.
    """
    edits: list[SearchReplace] = []
    path: str | None = None
    lines = iter(text.split("\n"))
    for line in lines:
        opening = _OPENING.fullmatch(line)
        if opening:
            inside = (line.removeprefix(opening[1]) for line in lines)
            search, replace = _read_block(inside, len(opening[2]), len(edits) + 1)
            edits.append(SearchReplace(len(edits) + 1, search, replace, path))
            continue
        fence = _FENCE.fullmatch(line)
        path = (read_info(fence[1], known)[1] if fence else path_in_line(line, known)) or path
    return edits


def apply_edits(
    files: Mapping[str, str],
    edits: Collection[SearchReplace],
    *,
    new_files: bool = False,
    check: Callable[[SearchReplace, str, str], None] | None = None,
) -> dict[str, str]:
    """Return the files after all edits, one after the other.

    Args:
        files: path to text.
        edits: from `read_edits`.
        new_files: whether a block with an empty SEARCH may make a file.
        check: is called with each edit, the path and the new text, and may refuse it.

    Raises:
        CandidateRejected: naming the first block that does not apply, what it searched, and the nearest place.
    """
    changed = dict(files)
    for edit in edits:
        path = _find_path(edit, changed, new_files=new_files)
        changed[path] = _replace(changed.get(path, ""), edit)
        if check:
            check(edit, path, changed[path])
    return changed


def _read_block(lines: Iterator[str], length: int, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    divider, closing = re.compile(rf"={{{length}}}\s*"), re.compile(rf">{{{length}}} ?REPLACE\s*", re.IGNORECASE)
    search: list[str] = []
    replace: list[str] = []
    part = search
    for line in lines:
        if part is search and divider.fullmatch(line):
            part = replace
        elif closing.fullmatch(line):
            if part is search:
                raise CandidateRejected(f"SEARCH/REPLACE block {number} has no line {'=' * length} in its middle")
            return tuple(search), tuple(replace)
        elif _OPENING.fullmatch(line) and line.count("<") == length:
            break
        else:
            part.append(line)
    raise CandidateRejected(
        f"SEARCH/REPLACE block {number} has no line {'>' * length} REPLACE at its end: it was cut off, or is malformed"
    )


def _find_path(edit: SearchReplace, files: Mapping[str, str], *, new_files: bool) -> str:
    path = tidy_path(edit.path or "")
    if path:
        check_path(path)
    if path in files or (path and new_files and _is_blank(edit.search)):
        return path
    if len(files) == 1:
        return next(iter(files))
    if path:
        raise CandidateRejected(f"{edit} names a file that the program has not; its files: {list_some(files)}")
    holding = [name for name, text in files.items() if _places(_split(text), edit.search)]
    holding = holding or [name for name, text in files.items() if _find_within_lines(text, edit.search)]
    if len(holding) == 1:
        return holding[0]
    raise CandidateRejected(f"{edit} does not say which file: put a heading `### path` before it")


def _replace(text: str, edit: SearchReplace) -> str:
    lines, end = _split(text), line_end_of(text)
    if _is_blank(edit.search):
        if text.strip():
            raise CandidateRejected(f"{edit} searches for nothing: copy the lines to be replaced under SEARCH")
        return "".join(f"{line}{end}" for line in edit.replace)
    places = _places(lines, edit.search)
    if len(places) > 1:
        shown = ", ".join(str(place + 1) for place in places[:_SHOWN_PLACES])
        more = ", …" if len(places) > _SHOWN_PLACES else ""
        raise CandidateRejected(
            f"{edit}: the searched lines (from {quote(_first(edit.search))}) stand {len(places)} times, at lines "
            f"{shown}{more}: add lines around them until they stand once"
        )
    if not places and (within := _find_within_lines(text, edit.search)):
        return _join_lines(edit.replace, end).join((text[: within.start()], text[within.end() :]))
    if not places:
        nearest = describe_nearest(lines, edit.search)
        raise CandidateRejected(
            f"{edit}: the searched lines (from {quote(_first(edit.search))}) are nowhere in the program; {nearest}; "
            "copy the lines to be replaced exactly"
        )
    start, stop = places[0], places[0] + len(edit.search)
    new = [f"{line}{end}" for line in edit.replace]
    if new and not lines[stop - 1].endswith("\n"):
        new[-1] = edit.replace[-1]
    return "".join((*lines[:start], *new, *lines[stop:]))


def _find_within_lines(text: str, search: tuple[str, ...]) -> re.Match[str] | None:
    """Find the one place where the searched text begins or ends within a line, but not within a word.

    What only lacks indentation is no such place: the lines after the first one would lack it too.
    """
    if _is_blank(search):
        return None
    found = list(re.finditer(re.escape(_join_lines(search, line_end_of(text))), text))
    if len(found) != 1 or _cuts_word(text, found[0].start()) or _cuts_word(text, found[0].end()):
        return None
    before = text[text.rfind("\n", 0, found[0].start()) + 1 : found[0].start()]
    return found[0] if before.strip() or not before else None


def _join_lines(lines: tuple[str, ...], end: str) -> str:
    """Return lines as a part of a text, without the empty ones around them: those would break the line it is in."""
    return end.join(lines).strip("\r\n")


def _cuts_word(text: str, place: int) -> bool:
    return re.fullmatch(r"\w\w", text[max(place - 1, 0) : place + 1]) is not None


def _split(text: str) -> list[str]:
    r"""Return lines with their ends; only `\n` ends a line."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _places(lines: list[str], search: tuple[str, ...]) -> list[int]:
    """Return where the searched lines begin.

    Blanks at the ends of lines matter only where that makes a difference.
    """
    if _is_blank(search):
        return []
    exact = _find([line.rstrip("\r\n") for line in lines], list(search))
    return exact or _find([line.rstrip() for line in lines], [line.rstrip() for line in search])


def _find(lines: list[str], search: list[str]) -> list[int]:
    first, size = search[0], len(search)
    return [i for i, line in enumerate(lines) if line == first and lines[i : i + size] == search]


def _is_blank(lines: tuple[str, ...]) -> bool:
    return not any(line.strip() for line in lines)


def _first(lines: tuple[str, ...]) -> str:
    return next(line for line in lines if line.strip()).strip()

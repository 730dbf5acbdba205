"""Paths in an answer: where one is named, and which stay inside the candidate."""

from __future__ import annotations

import re
from collections.abc import Collection

from evograft_hookspecs import CandidateRejected
from evograft_operators.models.text import quote

LONGEST = 200

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.+)")
_EMPHASIS = re.compile(r"\s*(?:\*\*(.+)\*\*|`([^`]+)`):?\s*")
_LABEL = re.compile(r"(?:new )?(?:file|path)(?:name)?\s*:\s*", re.IGNORECASE)
_EXTENSION = re.compile(r"[^\s.]\.[A-Za-z]\w{0,7}$")
_DRIVE = re.compile(r"[A-Za-z]:")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def path_in_line(line: str, known: Collection[str]) -> str | None:
    """Return the path that a heading, or a line in bold or in backquotes, names; `None` if it says something else."""
    line = line[: 2 * LONGEST]
    found = _HEADING.fullmatch(line.rstrip()) or _EMPHASIS.fullmatch(line)
    if not found:
        return None
    named = _LABEL.sub("", next(group for group in found.groups() if group), count=1).strip(" \t*`'\":")
    return tidy_path(named) if tidy_path(named) in known or is_path(named) else None


def is_path(text: str) -> bool:
    """Return whether text is meant as a path: no blanks, and a folder or an extension in it."""
    return not re.search(r"\s", text) and bool(re.search(r"[/\\]", text) or _EXTENSION.search(text))


def tidy_path(path: str) -> str:
    return path.removeprefix("./")


def check_path(path: str) -> None:
    """Refuse paths that leave the candidate's folder, or that no file should have.

    Raises:
        CandidateRejected: with the path.
    """
    parts = re.split(r"[/\\]", path)
    outside = "\\" in path or path.startswith(("/", "~")) or _DRIVE.match(path) or not {"", ".", ".."}.isdisjoint(parts)
    if outside or _UNPRINTABLE.search(path) or len(path) > LONGEST:
        raise CandidateRejected(
            f"the path {quote(path)} is not one inside the program's folder: use relative paths without '..'"
        )


def check_new_path(path: str, others: Collection[str]) -> None:
    """Refuse a file in the place of a folder, inside another file, or where tools look for their settings.

    Args:
        path: of the new file.
        others: the paths of all files of the program.

    Raises:
        CandidateRejected: with the path.
    """
    if any(part.startswith(".") for part in path.split("/")):
        raise CandidateRejected(f"the new file {quote(path)} is a hidden one: give it another name")
    for other in others:
        if path.startswith(f"{other}/") or other.startswith(f"{path}/"):
            raise CandidateRejected(
                f"the new file {quote(path)} cannot be there beside {quote(other)}: one is a folder"
            )

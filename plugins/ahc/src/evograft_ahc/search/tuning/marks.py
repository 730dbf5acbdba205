"""Marks behind numbers worth tuning: `// evo: param`, or with a range `// evo: param 0.1..10 log`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evograft_ahc.search.tuning.parameter import ParameterRange

_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_MARK = re.compile(r"\bevo:\s*param\b(?P<rest>.*)")
_RANGE = re.compile(rf"\s+({_NUMBER})\s*\.\.\s*({_NUMBER})(?:\s+(log))?(?![\w.])")
_BEGINS_RANGE = re.compile(r"\s+[+-]?\.?\d")


@dataclass(frozen=True)
class TuningMark:
    """A mark in a comment, on one line with the number that it is about."""

    line: int
    """Counted from 1."""
    range: ParameterRange | None
    """`None`: it follows from the number."""
    mistake: str = ""
    """Why the range cannot be read."""


def has_marks(source: str) -> bool:
    """Return whether an author has marked numbers, however well."""
    return bool(_MARK.search(source))


def read_mark(comment: str, line: int) -> TuningMark | None:
    """Return the mark that a comment holds, if it holds one; `comment` is one line."""
    found = _MARK.search(comment)
    if found is None:
        return None
    bounds = _RANGE.match(found["rest"])
    if bounds is None and not _BEGINS_RANGE.match(found["rest"]):
        return TuningMark(line, None)
    if bounds is None:
        return TuningMark(line, None, "a mark reads `evo: param`, `evo: param LOW..HIGH` or `evo: param LOW..HIGH log`")
    try:
        return TuningMark(line, ParameterRange(float(bounds[1]), float(bounds[2]), bounds[3] is not None))
    except ValueError as err:
        return TuningMark(line, None, str(err))

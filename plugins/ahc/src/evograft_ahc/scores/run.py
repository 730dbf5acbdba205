"""A run of a program over cases, as the record of scores keeps it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RunSource = Literal["test", "session", "pahcer", "best"]
"""`best`: the best of many programs on each case, which are not known themselves."""


@dataclass(frozen=True)
class Revision:
    """Of a program's file in a git repository."""

    commit: str = ""
    """Short, with `+` behind it where the file has changed since; empty: the file is in no repository."""
    tag: str = ""


@dataclass(frozen=True)
class ScoredRun:
    """One run.

    Args:
        key: what tells it from all others; a run that is recorded again under its key takes the place of the first.
        source: where it comes from.
        name: of the program, such as `main.cpp` or `first/gen02_ind04`.
        at: Unix time.
        scores: by case, in the contest's own units; `None`: the case failed.
        program: the hash of its source; empty: not known.
        comment: what the user said of it.
        revision: of the program's file.
        slowest: seconds of the longest case.
        is_pruned: whether cases are missing because the program was given up.
    """

    key: str
    source: RunSource
    name: str
    at: float
    scores: Mapping[str, float | None]
    program: str = ""
    comment: str = ""
    revision: Revision = Revision()
    slowest: float | None = None
    is_pruned: bool = False

    @property
    def identity(self) -> str:
        """What runs of the same program have in common; one whose source is not known stands alone."""
        return self.program or self.key

    @property
    def failed(self) -> int:
        return sum(score is None for score in self.scores.values())

    @property
    def mean(self) -> float | None:
        """Of the cases that did not fail."""
        solved = [score for score in self.scores.values() if score is not None]
        return sum(solved) / len(solved) if solved else None


def hash_program(source: str) -> str:
    """Return what tells programs apart."""
    return hashlib.sha256(source.encode()).hexdigest()

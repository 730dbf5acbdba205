"""Rules of .gitignore files, which leave files out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from evograft_code_explainer.files.descent import open_plain
from evograft_code_explainer.files.patterns import GitignorePatterns
from evograft_code_explainer.files.refusal import RequestRefused

NAME = ".gitignore"
LARGEST = 64 * 1024
"""Bytes of a .gitignore that are read."""


@dataclass(frozen=True)
class IgnoreRules:
    """The .gitignore files of a folder and of those above it, the innermost first."""

    layers: tuple[tuple[int, GitignorePatterns], ...] = ()
    """Each with the length of its folder's path, which its patterns do not see."""

    def below(self, path: str, lines: Sequence[str]) -> Self:
        """Add the lines of the .gitignore of a folder, whose path has a slash at its end."""
        patterns = GitignorePatterns(lines)
        return type(self)(((len(path), patterns), *self.layers)) if patterns else self

    def ignored(self, paths: Sequence[str]) -> set[str]:
        """Return those of the paths in a folder that are left out.

        They go from the root; a folder has a slash at its end.
        """
        touched: set[str] = set()
        for length, patterns in self.layers:
            inside = [path[length:] for path in paths]
            hits = patterns.touched(inside)
            touched.update(path for path in paths if path[length:] in hits)
        return {path for path in touched if self._ignores(path)}

    def _ignores(self, path: str) -> bool:
        for length, patterns in self.layers:
            found = patterns.include(path[length:])
            if found is not None:
                return found
        return False


def read_lines(folder: int) -> list[str]:
    """Return the lines of a folder's .gitignore. As Git does, this follows no link."""
    try:
        with os.fdopen(open_plain(NAME, folder), "rb") as file:
            return file.read(LARGEST).decode(errors="replace").splitlines()
    except (OSError, RequestRefused):
        return []

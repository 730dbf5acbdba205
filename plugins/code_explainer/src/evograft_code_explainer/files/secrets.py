"""Names of files that hold passwords and keys."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from evograft_code_explainer.files.patterns import GitignorePatterns


class Secrets:
    """The names that are refused, less those that the user allows."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """Take patterns of .gitignore for both.

        Args:
            allowed: what may be read although the table has it.
        """
        self._allowed = GitignorePatterns(_fold(pattern) for pattern in allowed)

    def among(self, paths: Sequence[str]) -> set[str]:
        """Return the secrets among paths from the root; paths of folders end with a slash."""
        names = [_fold(path) for path in paths]
        touched = _table().touched(names)
        return {path for path, name in zip(paths, names, strict=True) if name in touched and self._refuses(name)}

    def __contains__(self, path: str) -> bool:
        return self._refuses(_fold(path))

    def _refuses(self, name: str) -> bool:
        return bool(_table().include(name)) and not self._allowed.include(name)


@cache
def _table() -> GitignorePatterns:
    return GitignorePatterns((files(__package__) / "secrets.txt").read_text(encoding="utf-8").splitlines())


def _fold(name: str) -> str:
    # There are file systems to which .ENV is .env, and a full-width name may be its plain one.
    return name.lower() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()

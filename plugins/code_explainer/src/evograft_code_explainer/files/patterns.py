"""Patterns of .gitignore, asked about one path or about all of a folder at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LONGEST = 500
MOST = 2000
"""Characters of a pattern, and lines of one file: a file may be anybody's. What is beyond is passed over."""
ODD = re.compile(r"\[[^\]]*(?:\[|--|&&|\|\||~~)")
"""Bracket expressions that Python may understand otherwise one day, and RE2 does not understand as Git does."""
NAMED_GROUP = re.compile(r"\(\?P<\w+>")
SET_BYTES = 64 * 1024 * 1024


class GitignorePatterns:
    """Patterns of which the last one that fits decides. RE2 looks for them: no pattern is expensive for it."""

    def __init__(self, lines: Iterable[str]) -> None:
        import re2
        from pathspec import GitIgnoreSpec

        kept = [spec for line in islice(lines, MOST) if (spec := _spec(line))]
        self._spec = GitIgnoreSpec((each.patterns[0] for each in kept), backend="re2")
        options = re2.Options()
        options.never_nl = options.never_capture = True
        options.log_errors = False
        options.max_mem = SET_BYTES
        self._any: Any = re2.compile("(?m)" + "|".join(map(_regex, kept)), options) if kept else None

    def __bool__(self) -> bool:
        return self._any is not None

    def include(self, path: str) -> bool | None:
        """Return what the last pattern says that fits a path; `None` if there is none."""
        return self._spec.check_file(_plain(path)).include

    def touched(self, paths: Sequence[str]) -> set[str]:
        """Return those of many paths that some pattern fits, whatever it says.

        It takes a fraction of the time of asking one by one.
        """
        if self._any is None:
            return set()
        plain = [_plain(path).encode() for path in paths]
        lines = b"\n".join(plain)
        starts = {_line_start(lines, match) for match in self._any.finditer(lines)}
        at, found = 0, set()
        for path, line in zip(paths, plain, strict=True):
            if at in starts:
                found.add(path)
            at += len(line) + 1
        return found


def _plain(path: str) -> str:
    """Return the path as one line of UTF-8, which is all that RE2 knows; a name may be any bytes."""
    if path.isascii() and "\n" not in path:
        return path
    return os.fsencode(path).decode(errors="replace").replace("\n", "\N{REPLACEMENT CHARACTER}")


def _line_start(lines: bytes, match: Any) -> int:
    return lines.rfind(b"\n", 0, match.start()) + 1


def _spec(line: str) -> GitIgnoreSpec | None:
    """One pattern; nothing for a comment, an empty line, and what is not a pattern."""
    import re2
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore import GitIgnorePatternError

    if len(line) > LONGEST or ODD.search(line):
        return None
    try:
        spec = GitIgnoreSpec.from_lines([line], backend="re2")
    except (GitIgnorePatternError, re.error, re2.error):
        return None
    return spec if any(each.include is not None for each in spec.patterns) else None


def _regex(spec: GitIgnoreSpec) -> str:
    """Return the pattern for a search in which nothing is captured."""
    (pattern,) = spec.patterns
    assert pattern.regex
    return f"(?:{NAMED_GROUP.sub('(?:', pattern.regex.pattern)})"

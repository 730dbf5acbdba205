"""A C++ program of several files as the one file that a contest site takes."""

from __future__ import annotations

import os
import re
from pathlib import Path

from evograft_ahc.files.user_file import read_text
from evograft_ahc.judging.program import MOST_BYTES
from evograft_ahc.text.messages import ContestUserError

TOKENS = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<end>[^(\s"]*)\(.*?\)(?P=end)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
      | ^[ \t]*\#[ \t]*include[ \t]*"(?P<included>[^"\n]+)"[^\n]*
      | ^[ \t]*\#[ \t]*pragma[ \t]+(?P<once>once)\b[^\n]*""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
"""Comments and literals, in which no directive counts, and the directives that do."""


class SourceBundle:
    """A program, with the files that it includes by a name in quotes in the places where it does.

    A file that is not there stays included, and is the compiler's to find. `#line` keeps the compiler's messages about
    the files that were written, and `#pragma once` becomes a guard.

    Args:
        file: with the program.

    Raises:
        ContestUserError: a file cannot be read, or all together are longer than the site takes.
    """

    def __init__(self, file: Path) -> None:
        self._main = file.resolve()
        self._found: dict[Path, None] = {}
        self.source = self._expand(self._main, ())

    @property
    def files(self) -> tuple[Path, ...]:
        """All that belong to it, its own first."""
        return tuple(self._found)

    def _expand(self, file: Path, above: tuple[Path, ...]) -> str:
        """Return a file's text with all that it includes, except for files that include it."""
        self._found[file] = None
        text = read_text(file)
        parts, at, is_guarded = list[str](), 0, False
        for match in TOKENS.finditer(text):
            included = _find(file.parent, match["included"])
            is_guarded = is_guarded or match["once"] is not None
            if included is None and match["once"] is None:
                continue
            parts.append(text[at : match.start()])
            if included is not None and included not in (*above, file):
                after = text.count("\n", 0, match.end()) + 2
                inner = self._expand(included, (*above, file)).removesuffix("\n")
                parts.append(f'{inner}\n#line {after} "{self._name(file)}"')
            at = match.end()
        whole = "".join([*parts, text[at:]])
        if above:
            whole = self._framed(whole, file, is_guarded=is_guarded)
        self._require_short(whole)
        return whole

    def _framed(self, text: str, file: Path, *, is_guarded: bool) -> str:
        named = f'#line 1 "{self._name(file)}"\n{text}'
        if not is_guarded:
            return named
        guard = f"INCLUDED_{list(self._found).index(file)}"
        return f"#ifndef {guard}\n#define {guard}\n{named}\n#endif"

    def _name(self, file: Path) -> str:
        return os.path.relpath(file, self._main.parent)

    def _require_short(self, text: str) -> None:
        size = len(text.encode())
        if size > MOST_BYTES and len(self._found) > 1:
            raise ContestUserError(
                f"{str(self._main)!r} has {size:,} bytes with what it includes, and the contest site takes "
                f"{MOST_BYTES:,}",
                ja=f"{str(self._main)!r} はインクルードを展開すると {size:,} バイトで、提出上限の {MOST_BYTES:,} "
                "バイトを超えます",
            )


def _find(folder: Path, name: str | None) -> Path | None:
    """Return the file that a name in quotes means; `None`: there is no such file next to the one that includes it."""
    file = (folder / name).resolve() if name else None
    return file if file is not None and file.is_file() else None

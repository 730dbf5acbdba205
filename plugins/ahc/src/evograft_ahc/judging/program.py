"""A compiled program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from evograft_hookspecs import CandidateRejected

MOST_BYTES = 512 * 1024
"""The longest source that the contest site takes."""
ERROR = re.compile(r"\berror(\[\w+\])?: ")
"""How compilers mark a line that says what is wrong, after its place."""


@dataclass(frozen=True)
class CompiledProgram:
    """What `Judge.compile` makes and `Judge.run` takes."""

    key: str
    """Of source, flags and compiler: equal keys are the same program."""
    content: bytes = field(repr=False)
    command: tuple[str, ...] = ("./program",)
    """What runs it, where its content is the file `program`."""


class CompileFailed(CandidateRejected):
    """The source is at fault.

    Args:
        diagnostics: the first of them, as the compiler wrote them.
        limit: the limit that the compiler passed, if it did: `cpu`, `wall`, `memory`, `processes` or `output`.
    """

    def __init__(self, diagnostics: str, *, limit: str = "") -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics
        self.limit = limit

    @property
    def cause(self) -> str:
        """Return one line that says what is wrong: Python says where in its first line, and what in its last one."""
        first, *others = [line.strip() for line in self.diagnostics.splitlines()] or [self.limit]
        if self.limit or not others:
            return first
        if first.startswith("File "):
            return f"{first}: {others[-1]}"
        return next((line for line in (first, *others) if ERROR.search(line)), first)

    def naming(self, source: str, name: str) -> CompileFailed:
        """Return the same failure of a file that the compiler knows by another name; longer names that end so stay."""
        named = re.sub(rf"(?<![\w./-]){re.escape(source)}\b", lambda _: name, self.diagnostics)
        return CompileFailed(named, limit=self.limit)

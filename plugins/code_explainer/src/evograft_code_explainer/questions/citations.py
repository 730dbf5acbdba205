"""Citations such as `src/main.py:12-30` in an answer: found in its text, and looked up in the repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository

LINES = r":L?(\d{1,9})(?:[-–]L?(\d{1,9})|:\d{1,9})?"
"""A line, and the last one or the column."""
IN_PROSE = re.compile(LINES + r"(?![A-Za-z0-9_:/@])")
IN_SPAN = re.compile(r"([^:]+)" + LINES)
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@~$-")
"""What paths in running text are made of. Others are cited in a code span."""
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
ENDING = re.compile(
    r"\.(?:adoc|bash|bat|c|cc|cfg|clj|cmake|conf|cpp|cs|css|cxx|dart|ex|exs|fs|go|gradle|h|hpp|hs|html|hxx|ini|ipynb"
    r"|java|jl|js|json|jsx|kt|kts|less|lock|lua|m|md|mjs|ml|mm|nix|php|pl|proto|ps1|py|pyi|pyx|r|rb|rs|rst|sass|scala"
    r"|scss|sh|sql|svelte|swift|tex|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig|zsh)\Z",
    re.IGNORECASE,
)
"""Of files that are cited. A name with another one is a citation where there is such a file: else it may be a host."""


@dataclass(frozen=True)
class Citation:
    """A place in the repository that an answer names."""

    path: str
    first: int
    last: int
    found: bool
    """Whether the file is there, may be read, and has these lines."""
    end: int
    """Where in the text a mark can stand."""


def mark_wrong(text: str, citations: Sequence[Citation], mark: str) -> str:
    """Mark each citation in the text that was not found."""
    ends = [citation.end for citation in citations if not citation.found]
    pieces = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    return f" {mark}".join(pieces)


def find_citations(text: str, repository: Repository) -> tuple[Citation, ...]:
    """Find the citations of an answer in their order, and look each up.

    Fenced code has none, and times, addresses, and code spans that hold more than a citation are not citations.
    """
    lookup = _Lookup(repository)
    return tuple(found for mention in _mentions(text) if (found := lookup.cited(mention)))


@dataclass(frozen=True)
class _Mention:
    """A mention that may be a citation."""

    paths: tuple[str, ...]
    """What the path may be, the likeliest first."""
    first: int
    last: int
    end: int


class _Lookup:
    """A lookup that reads each file once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._lines: dict[str, int | None] = {}

    def cited(self, mention: _Mention) -> Citation | None:
        """Return the citation that a mention is; `None` if it is not one."""
        path = next((path for path in mention.paths if self._length(path) is not None), mention.paths[0])
        length = self._length(path)
        if length is None and not self._is_meant(path):
            return None
        found = length is not None and 1 <= mention.first <= mention.last <= length
        return Citation(path, mention.first, mention.last, found, mention.end)

    def _length(self, path: str) -> int | None:
        """Return how many lines a file has; `None` if there is none that may be read."""
        if path not in self._lines:
            self._lines[path] = self._read_length(path)
        return self._lines[path]

    def _read_length(self, path: str) -> int | None:
        if not self._may_exist(path):
            return None
        try:
            return len(self._repository.read(path).content.lines)
        except RequestRefused:
            return None

    def _may_exist(self, path: str) -> bool:
        """Return whether it is worth opening: a refusal looks for similar names, which is expensive if there are many.

        It decides nothing that lies outside of the root: what it lets pass is opened like everything else.
        """
        return "\0" not in path and os.path.lexists(Path(self._repository.root.folder) / path)

    def _is_meant(self, path: str) -> bool:
        """Return whether something that is not a file was meant to be one."""
        if ENDING.search(path):
            return True
        folder, slash, _ = path.partition("/")
        try:
            return bool(slash and folder) and self._may_exist(folder) and self._repository.root.is_folder(folder)
        except RequestRefused:
            return False


def _mentions(text: str) -> Iterator[_Mention]:
    for start, line in _prose_lines(text):
        at = 0
        for span in _spans(line):
            yield from _in_prose(line, at, span.start, start)
            yield from _in_span(line[span.inside], start + span.stop)
            at = span.stop
        yield from _in_prose(line, at, len(line), start)


def _prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of fenced code, and where they begin."""
    start, fence = 0, ""
    for line in text.split("\n"):
        match = FENCE.match(line)
        if fence:
            if match and match[1].startswith(fence) and not line[match.end() :].strip():
                fence = ""
        elif match:
            fence = match[1]
        else:
            yield start, line
        start += len(line) + 1


@dataclass(frozen=True)
class _Span:
    """A code span, its backticks included."""

    start: int
    stop: int
    ticks: int

    @property
    def inside(self) -> slice:
        return slice(self.start + self.ticks, self.stop - self.ticks)


def _spans(line: str) -> Iterator[_Span]:
    """Yield the code spans of a line."""
    runs = [(match.start(), match.end() - match.start()) for match in re.finditer("`+", line)]
    closing = _closing(runs)
    at = 0
    for (start, ticks), close in zip(runs, closing, strict=True):
        if start >= at and close is not None:
            at = close + ticks
            yield _Span(start, at, ticks)


def _closing(runs: Sequence[tuple[int, int]]) -> list[int | None]:
    """Return for each run of backticks where the next one of the same length begins."""
    nearest: dict[int, int] = {}
    closing = []
    for start, ticks in reversed(runs):
        closing.append(nearest.get(ticks))
        nearest[ticks] = start
    return closing[::-1]


def _in_span(code: str, end: int) -> Iterator[_Mention]:
    match = IN_SPAN.fullmatch(code.strip())
    if match:
        yield _Mention((match[1],), int(match[2]), int(match[3] or match[2]), end)


def _in_prose(line: str, at: int, stop: int, offset: int) -> Iterator[_Mention]:
    for match in IN_PROSE.finditer(line, at, stop):
        start = _path_start(line, at, match.start())
        path = line[start : match.start()]
        if path and not path.startswith("//"):  # else it is the host of an address
            wider = _word_start(line, at, start)
            paths = (path,) if wider == start else (path, line[wider : match.start()])
            yield _Mention(paths, int(match[1]), int(match[2] or match[1]), offset + match.end())
        at = match.end()


def _path_start(line: str, at: int, end: int) -> int:
    while end > at and line[end - 1] in PLAIN:
        end -= 1
    return end


def _word_start(line: str, at: int, end: int) -> int:
    """Return where a path begins if letters beyond ASCII belong to it: they may as well be the sentence."""
    while end > at and (line[end - 1] in PLAIN or (line[end - 1].isalnum() and not line[end - 1].isascii())):
        end -= 1
    return end

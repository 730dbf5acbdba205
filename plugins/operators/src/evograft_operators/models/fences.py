"""Fenced code blocks: reading them from an answer, writing them into a prompt.

As in CommonMark, a block ends at a bare fence at least as long as the one that opened it. Beyond it, a fence with a tag
inside of a block opens a block within the block, as when a program's text quotes Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from evograft_operators.models.language import is_tag
from evograft_operators.models.paths import is_path, path_in_line, tidy_path

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
_ATTRIBUTE = re.compile(r"\b(?:title|file|filename|path|name)\s*=\s*[\"']?([^\s\"'}]+)")
_RUN = re.compile(r"`+")
_CLOSING_INDENT = 3
"""How much further than its opening a closing fence may be indented."""


@dataclass(frozen=True)
class Fence:
    """A code block."""

    text: str
    """Its lines, each with its line end."""
    tag: str = ""
    """What it says it is in, in lower case."""
    path: str | None = None
    """The file it says it is."""
    closed: bool = True


def read_fences(text: str, known: Collection[str] = ()) -> list[Fence]:
    r"""Return all code blocks of a text whose lines end in `\n`.

    Args:
        text: an answer.
        known: paths that are recognised even where they look like any other word.
    """
    found: list[Fence] = []
    path: str | None = None
    lines = iter(text.split("\n"))
    for line in lines:
        opening = _FENCE.fullmatch(line)
        if opening is None or _is_inline(opening):
            path = path_in_line(line, known) or path
            continue
        tag, own_path = read_info(opening[3], known)
        content, closed = _content(lines, opening)
        found.append(Fence("".join(content), tag, own_path or path, closed))
        path = None
    return found


def read_info(info: str, known: Collection[str]) -> tuple[str, str | None]:
    """Return the tag and the path in what stands behind a fence.

    Such as `python`, `python src/a.py`, `cpp:a.cpp` or `py title="a.py"`.
    """
    info = info.strip()[:400]
    attribute = _ATTRIBUTE.search(info)
    words = info[: attribute.start()].split() if attribute else info.split()
    first, colon, rest = words[0].partition(":") if words else ("", "", "")
    if colon and is_tag(first):
        words[:1] = [first, rest]
    tag = words.pop(0) if words and (is_tag(words[0]) or not _names_file(words[0], known)) else ""
    named = attribute[1] if attribute else next((word for word in words if _names_file(word, known)), None)
    return tag.strip("{}.,").lower(), tidy_path(named) if named else None


def write_fence(text: str, tag: str = "") -> str:
    """Return a code block that ends where the text ends, whatever the text holds."""
    longest = max(map(len, _RUN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{tag}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}"


def _content(lines: Iterator[str], opening: re.Match[str]) -> tuple[list[str], bool]:
    indent, mark = opening[1], opening[2]
    content: list[str] = []
    depth = 1
    for line in lines:
        inner = _FENCE.fullmatch(line)
        if inner and inner[2][0] == mark[0] and len(inner[2]) >= len(mark) and not _is_inline(inner):
            if inner[3].strip():
                depth += 1
            elif len(inner[1]) <= len(indent) + _CLOSING_INDENT or depth > 1:
                depth -= 1
                if depth == 0:
                    return content, True
        content.append(line.removeprefix(indent) + "\n")
    return content, False


def _is_inline(fence: re.Match[str]) -> bool:
    return fence[2][0] == "`" and "`" in fence[3]


def _names_file(word: str, known: Collection[str]) -> bool:
    return tidy_path(word) in known or is_path(word)

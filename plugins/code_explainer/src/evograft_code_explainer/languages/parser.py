"""The parser of programs, which works in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evograft_code_explainer.languages.language import CodeLanguage
from evograft_code_explainer.languages.outline import Definition

LONGEST = 400_000
"""Characters of a program that are parsed."""
GUARD = 120.0
"""Seconds that a process may take for all its programs; each has a limit of processor time far below."""
READY = "ready"
"""The first line of what a process writes."""
DEATHS = 3
"""Processes that may die; then the programs that are left are given up."""


@dataclass(frozen=True)
class SourceProgram:
    source: str
    language: CodeLanguage


@dataclass(frozen=True)
class ParsedProgram:
    definitions: tuple[Definition, ...]
    imports: tuple[str, ...]
    """As the program writes them."""


def parse(programs: Sequence[SourceProgram]) -> Iterator[ParsedProgram | None]:
    """Yield one answer for each program, in their order; `None` for one that is too hard to parse."""
    left, deaths = list(programs), 0
    while left and deaths < DEATHS:
        found = _parse_in_child(left)
        yield from found
        left = left[len(found) :]
        if left:
            # It died of the first that it did not answer.
            yield None
            left, deaths = left[1:], deaths + 1
    yield from (None for _ in left)


def _parse_in_child(programs: Sequence[SourceProgram]) -> list[ParsedProgram | None]:
    # -P and another folder: the working folder may be the code base, and have a json.py.
    command = [sys.executable, "-P", "-m", "evograft_code_explainer.languages.parser_process"]
    given = json.dumps([(each.language.name, each.source[:LONGEST]) for each in programs]).encode()
    with subprocess.Popen(  # noqa: S603 - this very program
        command, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            answer, complaint = child.communicate(given, timeout=GUARD)
        except subprocess.TimeoutExpired:
            child.kill()
            answer, complaint = child.communicate()
    started, *lines = answer.decode().split("\n")
    if started != READY:
        raise RuntimeError(f"the process that parses did not start: {complaint.decode(errors='replace').strip()}")
    # What stands behind the last line end was being written when it died.
    return [_read_answer(json.loads(line)) for line in lines[:-1]]


def _read_answer(found: dict[str, Any] | None) -> ParsedProgram | None:
    if found is None:
        return None
    return ParsedProgram(tuple(Definition(*each) for each in found["definitions"]), tuple(found["imports"]))

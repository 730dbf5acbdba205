"""The process that parses: it reads programs from its input and writes what it found of each, one a line.

A parser is C code that anybody's text goes through. Whatever that text does to it, this process has little memory and
little time, and when it dies, the program that it died of is known.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from dataclasses import astuple
from typing import Any

from evograft_code_explainer.languages.language import LANGUAGES
from evograft_code_explainer.languages.outline import find_definitions, find_imports
from evograft_code_explainer.languages.parser import READY
from evograft_code_explainer.languages.syntax_tree import TooHardToParse, find_matches

MEMORY = 1 << 30
"""Bytes."""
SECONDS = 2.0
"""Processor time for a program, after which the system ends the process: a parser does not always look at its watch."""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(READY, flush=True)  # noqa: T201 - the answer
    for name, source in json.load(sys.stdin):
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        print(json.dumps(_analyze(name, source.encode(errors="replace"))), flush=True)  # noqa: T201 - the answer


def _analyze(name: str, source: bytes) -> dict[str, Any] | None:
    language = next(language for language in LANGUAGES if language.name == name)
    try:
        matches = find_matches(source, language)
    except (TooHardToParse, MemoryError, RecursionError):
        return None
    return {
        "definitions": [astuple(each) for each in find_definitions(matches)],
        "imports": find_imports(matches),
    }


if __name__ == "__main__":
    main()

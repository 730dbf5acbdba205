"""The arguments and options of `evo explain`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evograft.api import UserError
from evograft_code_explainer.questions.pipeline import build_overrides, is_folder
from evograft_code_explainer.questions.task import Document

NAMES = {
    "question": "QUESTION",
    "path": "PATH",
    "overrides": "--set",
    "as_json": "--json",
    "followed": "--continue",
    "listing": "--list",
}
"""Of what is not called as its option."""
ASKING = frozenset(
    {
        "question",
        "path",
        "llm",
        "config",
        "overrides",
        "output",
        "overwrite",
        "deep",
        "readme",
        "api",
        "allow",
        "steps",
        "followed",
    }
)
APART = {
    "listing": ASKING | {"show", "delete"},
    "show": ASKING | {"delete"},
    "delete": ASKING | {"as_json"},
    "followed": frozenset({"path", "config", "deep", "readme", "api"}),
    "readme": frozenset({"api"}),
}
"""Options that may not be combined with an option."""


@dataclass(frozen=True)
class QuestionArguments:
    """Arguments and options about a question, named as click names them."""

    question: str | None = None
    path: Path | None = None
    llm: str | None = None
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    language: str | None = None
    output: Path | None = None
    overwrite: bool = False
    as_json: bool = False
    deep: bool = False
    readme: bool = False
    api: bool = False
    allow: tuple[str, ...] = ()
    steps: int | None = None
    followed: str | None = None

    @property
    def document(self) -> Document:
        return "readme" if self.readme else "api" if self.api else "explain"

    @property
    def settings(self) -> list[str]:
        """Return the options that are short for settings, and those that are not."""
        short = {
            "root": str(self.path) if self.path else None,
            "allow": self.allow or None,
            "asking.language": self.language,
            "asking.steps": self.steps,
        }
        return [*self.overrides, *build_overrides(short)]


def read_question(given: Mapping[str, Any]) -> QuestionArguments:
    """Read the arguments of a question; an only argument that is a folder is taken for what it is."""
    arguments = QuestionArguments(**given)
    question = arguments.question
    if question == "-":
        return replace(arguments, question=_standard_input())
    if _names(given) & {"question", "path", "followed"} == {"question"} and is_folder(question or ""):
        return replace(arguments, question=None, path=Path(question or ""))
    return arguments


def require_compatible(given: Mapping[str, Any]) -> None:
    """Check that the options of a command line go together.

    Raises:
        UserError: they do not.
    """
    names = _names(given)
    for name, others in APART.items():
        both = sorted(others & names) if name in names else []
        if both:
            raise UserError(f"{_shown(name)} and {_shown(both[0])} do not go together: leave one of them out")
    if given["overwrite"] and given["output"] is None:
        raise UserError("--overwrite is for --output FILE: name the file")


def _names(given: Mapping[str, Any]) -> set[str]:
    """Return the names of the options that were given."""
    return {name for name, value in given.items() if value not in (None, False, ())}


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UserError(f"the question on standard input is not UTF-8 text: byte {err.start}") from err


def _shown(name: str) -> str:
    return NAMES.get(name, f"--{name}")

"""What the command line of `evo explain` says."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from evograft.api import UserError
from evograft_code_explainer.questions.pipeline import is_folder, options
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
"""What may not stand beside an option."""


@dataclass(frozen=True)
class Given:
    """Arguments and options, named as click names them."""

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
    listing: bool = False
    show: str | None = None
    delete: str | None = None

    @property
    def document(self) -> Document:
        return "readme" if self.readme else "api" if self.api else "explain"

    @property
    def settings(self) -> list[str]:
        """The options that are short for settings, and those that are not."""
        short = {
            "root": str(self.path) if self.path else None,
            "allow": self.allow or None,
            "asking.language": self.language,
            "asking.steps": self.steps,
        }
        return [*self.overrides, *options(short)]

    def understood(self) -> Self:
        """With an only argument that is a folder taken for what it is.

        Raises:
            UserError: options do not go together.
        """
        given = {name for name, value in asdict(self).items() if value not in (None, False, ())}
        for name, others in APART.items():
            both = sorted(others & given) if name in given else []
            if both:
                raise UserError(f"{_shown(name)} and {_shown(both[0])} do not go together: leave one of them out")
        if self.overwrite and self.output is None:
            raise UserError("--overwrite is for --output FILE: name the file")
        if self.question == "-":
            return replace(self, question=_standard_input())
        if given & {"question", "path", "followed"} == {"question"} and is_folder(self.question or ""):
            return replace(self, question=None, path=Path(self.question or ""))
        return self


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UserError(f"the question on standard input is not UTF-8 text: byte {err.start}") from err


def _shown(name: str) -> str:
    return NAMES.get(name, f"--{name}")

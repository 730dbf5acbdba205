"""The options of the plugin: what may be read, how much of it a tool answers at a time, and how a model is asked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from evograft_code_explainer.files.patterns import GitignorePatterns
from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Number, Text

Positive = Annotated[int, Field(strict=True, ge=1)]


class AskingOptions(NoOptions):
    """Options of asking a model; limits are per question."""

    language: Literal["en", "ja"] | None = None
    """Of prompts, of the answer and of what is shown; null: that of the user's locale when the conversation begins."""
    steps: Positive = 40
    """Messages that the model may take."""
    malformed: Positive = 3
    """Messages in a row whose calls cannot be read, after which the question is given up."""
    room: Annotated[int, Field(strict=True, ge=2000)] = 200_000
    """Characters of what the model is asked with; what tools said long ago is left out first. A model with a small
    context needs less."""
    max_tokens: Positive = 8192
    """Of a message of the model. The whole answer has to fit in."""
    temperature: Number | None = None
    """Null: the provider's default."""


class CodeExplainerOptions(NoOptions):
    """Options of the plugin; all sizes are of one answer."""

    root: Text = "."
    """The folder that is explained. Nothing outside of it is read."""
    allow: tuple[Text, ...] = ()
    """Files with passwords or keys that may be read nevertheless, as patterns of .gitignore: `tests/certs/*.pem`."""
    hidden: bool = False
    """Whether listings and searches cover what .gitignore leaves out, version control's own folders, and binary
    files."""
    entries: Positive = 500
    """Entries of a listing."""
    lines: Positive = 1000
    """Lines of a file."""
    characters: Annotated[int, Field(strict=True, ge=1000)] = 40_000
    """Characters of any answer."""
    matches: Positive = 100
    """Matches of a search."""
    file_bytes: Positive = 10_000_000
    """Bytes of a file that are read at all."""
    search_seconds: Annotated[float, Field(gt=0)] = 20.0
    """After this time a search answers with what it has found."""
    asking: AskingOptions = AskingOptions()
    """Of `evo explain` alone: no tool reads it."""

    @field_validator("allow")
    @classmethod
    def _are_patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            if not GitignorePatterns([pattern]) or pattern.startswith("!"):
                raise ValueError(f"{pattern!r} is no pattern of .gitignore that names files")
        return value

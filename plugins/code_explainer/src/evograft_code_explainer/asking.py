"""How `evo explain` asks a model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evograft_hookspecs import NoOptions
from evograft_hookspecs.values import Number

Positive = Annotated[int, Field(strict=True, ge=1)]


class AskingOptions(NoOptions):
    """Limits are per question."""

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

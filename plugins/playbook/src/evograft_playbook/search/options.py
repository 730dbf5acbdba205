"""The options of the two halves of a search, and of how they are joined."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evograft.api import DriverSection
from evograft_hookspecs.values import Value

Weight = Annotated[float, Field(strict=True, ge=0, le=1)]


class SearchOptions(Value):
    """The defaults are what docs/playbook-search.md measures."""

    dense_weight: Weight = 0.7
    """How much a place among those nearest in meaning counts; 0: nothing is embedded."""
    lexical_weight: Weight = 0.3
    """How much a place among those that share words counts."""
    k: Annotated[float, Field(strict=True, gt=0, le=1000)] = 10.0
    """A place counts as weight / (k + place): the smaller, the more the first places count."""
    lexical_floor: Annotated[float, Field(strict=True, ge=0, lt=1)] = 0.12
    """Next to embeddings, what a bullet's words must cover of the question's, rare words counting more, to have a place
    at all: without it a few common words push what answers in another language down. Alone, one word is enough."""
    japanese: Literal["characters", "sudachi"] = "characters"
    """How Japanese is cut: one and two characters, or also words (extra `ja`)."""
    embedding: DriverSection | None = DriverSection(driver="use")
    """The driver that makes vectors, with its options; none: by words alone."""

    @model_validator(mode="after")
    def _one_half_counts(self) -> Self:
        if self.dense_weight == self.lexical_weight == 0:
            raise ValueError("dense_weight and lexical_weight are both 0: nothing could be found")
        return self

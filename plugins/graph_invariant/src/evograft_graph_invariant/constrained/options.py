"""The section `fallbacks` of the plugin's options."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evograft_hookspecs import NoOptions

Positive = Annotated[int, Field(ge=1)]


class FallbackOptions(NoOptions):
    """When an island counts as stagnant, and what is done about it."""

    valid_rho: Annotated[float, Field(ge=0, lt=1)] = 0.3
    """A candidate is valid if its |ρ| on the training graphs is higher. In a run with a model only candidates for which
    one was called count."""
    constrained_after: Positive = 5
    """After this many generations in a row without a valid candidate an island's generation is constrained to a small
    pool of operators and a skeleton, until it has a valid one."""
    model: str = ""
    """The fallback model, one of the pipeline's `llm.models`, where its weight is 0; empty: there is none."""
    strategy: str = "novel"
    """The strategy of the islands that may use it."""
    model_after: Positive = 3
    """After this many generations in a row without a valid candidate although constrained, the model is used for
    one."""
    model_uses: Annotated[int, Field(ge=0)] = 3
    """The most uses in a run, all islands together."""
    month_dollars: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0
    """The most that all runs of this user together may spend on it in a calendar month (UTC), in US dollars."""
    max_tokens: Positive = 2048
    """The length of an answer of constrained generation at most."""
    temperature: tuple[float, float] | None = (0.0, 2.0)
    """The range that the island's temperature is held within; `None`: models are asked with their own default. Some
    providers refuse what is above 1."""
    language: Literal["en", "ja"] = "en"
    """The language of the prompts."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.temperature is not None and not 0 <= self.temperature[0] <= self.temperature[1]:
            raise ValueError("temperature is a range: its lower end, from 0 on, and its higher one")
        return self

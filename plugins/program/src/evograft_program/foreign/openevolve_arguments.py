"""Arguments of OpenEvolve's command that change its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evograft_program.foreign.settings import without_none


@dataclass(frozen=True)
class OpenEvolveArguments:
    """What its options say; `None`: not given."""

    iterations: int | None = None
    """`-i`"""
    api_base: str | None = None
    """`--api-base`"""
    primary_model: str | None = None
    """`--primary-model`; with one of the two, the models that the file lists do not count."""
    secondary_model: str | None = None
    """`--secondary-model`"""

    def apply(self, data: object) -> object:
        """Return the contents of a configuration file with the arguments in it."""
        if not isinstance(data, Mapping) or self == OpenEvolveArguments():
            return data
        llm = data.get("llm")
        section = dict(llm) if isinstance(llm, Mapping) else {}
        if self.primary_model or self.secondary_model:
            section.pop("models", None)
        section |= without_none(
            api_base=self.api_base, primary_model=self.primary_model, secondary_model=self.secondary_model
        )
        return {**data, **without_none(max_iterations=self.iterations), **({"llm": section} if section else {})}

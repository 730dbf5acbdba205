"""A way to go at a problem."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from evograft_ahc.reasoning.prompts.templates import PromptTemplates
from evograft_hookspecs import Advice, Strategy, Value
from evograft_hookspecs.values import Text

Source = Annotated[Text, Field(min_length=1, max_length=100)]


class ContestStrategy(Value):
    """One of several, with the ids that proposals and advice know it by."""

    title: Annotated[Text, Field(min_length=1, max_length=200)]
    description: Annotated[Text, Field(max_length=2000)] = ""
    sources: Annotated[tuple[Source, ...], Field(max_length=20)] = ()
    """What speaks for it: stems of library blocks and ids of past contests."""

    @property
    def id(self) -> str:
        """The same wherever the strategy has this title."""
        return f"ahc.strategy.{self.key}"

    @property
    def key(self) -> str:
        """What the ids of its proposals end with."""
        return hashlib.sha256(self.title.encode()).hexdigest()[:8]

    def to_contract(self) -> Strategy:
        """Return what a problem offers to the person of an interactive run."""
        return Strategy(title=self.title, description=self.description, sources=self.sources)

    def citing(self, known: Iterable[str]) -> ContestStrategy:
        """Return the same strategy without the sources that do not exist."""
        there = set(known)
        return self.model_copy(update={"sources": tuple(dict.fromkeys(each for each in self.sources if each in there))})

    def advice(self, prompts: PromptTemplates) -> Advice:
        """Return what a prompt says of it."""
        template = "strategy" if self.sources else "strategy_alone"
        text = prompts.fill(template, title=self.title, description=self.description, sources=", ".join(self.sources))
        return Advice(id=self.id, text=text)

"""The operators that ask a model, as they are offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["whole", "edits", "tools"]
"""The form that a prompt asks for: whole files, blocks of lines to search and replace, or calls of tools."""

STRATEGIES = ("refine", "combine", "novel")
"""Those with words of their own."""


@dataclass(frozen=True)
class ModelOperation:
    """A way of asking. Its prompt is the template of the same name; that of an agent is the one of `rewrite`."""

    description: str
    parents: int = 1
    """How many parents it uses."""
    boldness: float = 0.5
    """0: a small step, 1: a leap."""
    form: Form = "whole"
    suits: frozenset[str] = frozenset(STRATEGIES)
    """The strategies of `STRATEGIES` that do not contradict it."""

    def follows(self, strategy: str) -> bool:
        """Return whether it can be asked to follow a strategy; whatever a word of others means, it can."""
        return strategy in self.suits or strategy not in STRATEGIES


REPAIR = "repair"
AGENT = "agent"

OFFERED = {
    "diff": ModelOperation(
        "a model changes some lines of the program", boldness=0.3, form="edits", suits=frozenset({"refine", "combine"})
    ),
    "rewrite": ModelOperation(
        "a model writes a new version of the program", boldness=0.6, suits=frozenset({"combine", "novel"})
    ),
    "crossover": ModelOperation("a model joins two programs", parents=2, boldness=0.6, suits=frozenset({"combine"})),
    "fresh": ModelOperation(
        "a model writes a program from the task alone", parents=0, boldness=1.0, suits=frozenset({"novel"})
    ),
}

OPERATIONS = {
    **OFFERED,
    AGENT: ModelOperation("a model works on the program with tools, and evaluates it on the way", form="tools"),
    REPAIR: ModelOperation("a model fixes a rejected program or answer"),
}

"""Which strategies a person has left in the race."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_ahc.reasoning.strategies.strategy import ContestStrategy
from evograft_hookspecs import Advice


def find_chosen_strategies(
    strategies: tuple[ContestStrategy, ...], instructions: Iterable[Advice]
) -> tuple[ContestStrategy, ...]:
    """Return the strategies that a person's choice names; all where nobody chose.

    Args:
        strategies: of the problem.
        instructions: of a trial, the newest last.
    """
    choices = [advice.strategies for advice in instructions if advice.strategies]
    return tuple(each for each in strategies if _has(choices[-1], each.title)) if choices else strategies


def _has(choice: tuple[str, ...], title: str) -> bool:
    """Return whether a part of the choice is this strategy, with its description or without."""
    return any(each == title or each.startswith(f"{title}: ") for each in choice)

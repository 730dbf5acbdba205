"""Which strategies a person has left in the race."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evograft_ahc.reasoning.strategies.strategy import Strategy
from evograft_hookspecs import Trial

CHOICE = "Follow these strategies: "
"""How `evo run --interactive` begins the instruction that says what was chosen; titles and new texts follow."""


def still_chosen(strategies: tuple[Strategy, ...], latest: Iterable[Trial]) -> tuple[Strategy, ...]:
    """The strategies that a person's choice names; all where nobody chose.

    Args:
        strategies: of the problem.
        latest: trials of the view, the newest last: what holds for a trial is part of its record.
    """
    told = [advice.text for trial in latest if trial.proposal for advice in trial.proposal.advice]
    choices = [text for text in told if text.startswith(CHOICE)]
    return tuple(each for each in strategies if _names(choices[-1], each.title)) if choices else strategies


def _names(choice: str, title: str) -> bool:
    """Whether a part of the choice is this strategy, with its description or without; descriptions mention others."""
    return bool(re.search(rf"(?:^|; ){re.escape(title)}(?:: |; |$)", choice.removeprefix(CHOICE)))

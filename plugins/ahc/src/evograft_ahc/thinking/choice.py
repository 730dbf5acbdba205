"""Which strategies a person has left in the race."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_ahc.strategies.strategy import Strategy
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
    return tuple(each for each in strategies if each.title in choices[-1]) if choices else strategies

"""What each committed trial has cost, for plugins that weigh it."""

from __future__ import annotations

from collections.abc import Iterable

from evograft.log.records import Finished, ReplayedTrial
from evograft.log.spending import Spending


class TrialCosts:
    """The cost of trials: what was paid for them, or was paid in the run that is repeated, so that choices are equal.

    Args:
        follows: the trials of the run that is repeated.
    """

    def __init__(self, follows: Iterable[ReplayedTrial]) -> None:
        self._followed = {each.number: each.dollars for each in follows}

    def of(self, done: Finished, spent: Spending) -> float | None:
        """Return the US dollars of a trial; `None`: a price is unknown."""
        if done.trial.number in self._followed:
            return self._followed[done.trial.number]
        return None if spent.known_dollars is None else spent.known_dollars + done.cost

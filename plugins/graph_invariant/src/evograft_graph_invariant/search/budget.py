"""The budget of an operator, counted in formulas: a count is the same on every machine, a time is not."""

from __future__ import annotations


class EvaluationBudget:
    """A given number of evaluations; what is asked for beyond them is not granted."""

    def __init__(self, evaluations: int) -> None:
        self.left = evaluations

    def take(self, wanted: int = 1) -> int:
        """Return how many of the wanted evaluations are granted."""
        granted = min(wanted, self.left)
        self.left -= granted
        return granted

    def share(self, part: float) -> int:
        """Return a part of what is left, at least 1 while anything is."""
        return min(self.left, max(1, int(self.left * part)))

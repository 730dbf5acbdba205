"""Trials that were seen already: a fold skips rows that come again."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class SeenTrials:
    """The set of trial numbers seen so far, in the space of those that came out of order."""

    below: int = 0
    """All trials below this one were seen."""
    ahead: set[int] = field(default_factory=set)

    def add(self, number: int) -> bool:
        """Note a number; return false if it was seen before."""
        if number < self.below or number in self.ahead:
            return False
        self.ahead.add(number)
        while self.below in self.ahead:
            self.ahead.remove(self.below)
            self.below += 1
        return True

"""What hooks get as `ctx.history`: the trials that are committed."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.types import Trial


class History(Protocol):
    """What hooks get as `ctx.history`: the trials that the one at hand may know, read from the log."""

    def trial(self, number: int) -> Trial:
        """Return a committed trial of the view, such as a parent's parent.

        Raises:
            KeyError: there is none of this number in the view.
        """

    def latest(self, count: int) -> tuple[Trial, ...]:
        """Return the newest trials of the view, at most `count`, oldest first."""

    def spent(self, number: int) -> float | None:
        """Return the US dollars that a committed trial of the view has cost: models for its candidate, and evaluation.

        A run that repeats another one is told what the trials of that one have cost. `None`: a price is unknown.

        Raises:
            KeyError: there is none of this number in the view.
        """

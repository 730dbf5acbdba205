"""Trials that were read from the log a moment ago, as many as a bounded memory holds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from evograft_hookspecs import Trial

MOST_CHARACTERS = 40_000_000
"""Programs' length in all; one that is longer is not kept."""
MOST_TRIALS = 512


class TrialCache:
    """Finds trials by number, the latest ones without reading the log again.

    Args:
        read: reads a trial from the log.
    """

    def __init__(self, read: Callable[[int], Trial]) -> None:
        self._read = read
        self._trials: OrderedDict[int, Trial] = OrderedDict()
        self._characters = 0

    def trial(self, number: int) -> Trial:
        found = self._trials.get(number)
        if found is not None:
            self._trials.move_to_end(number)
            return found
        trial = self._trials[number] = self._read(number)
        self._characters += size_of(trial)
        while self._characters > MOST_CHARACTERS or len(self._trials) > MOST_TRIALS:
            _, oldest = self._trials.popitem(last=False)
            self._characters -= size_of(oldest)
        return trial


def size_of(trial: Trial) -> int:
    """Return the characters of a trial's program."""
    return sum(map(len, trial.candidate.files.values())) if trial.candidate else 0

"""Candidates that a race would have given up and that were run on all cases all the same, to see how often it errs."""

from __future__ import annotations

import random
from dataclasses import dataclass

from evograft_hookspecs import Evaluation, FrozenDict

AFTER, GAIN = "audited_after", "audited_gain"
"""Keys of `Evaluation.metrics`."""


@dataclass(frozen=True)
class Audit:
    """One candidate's."""

    after: int
    """The number of cases after which it would have been given up."""
    gain: float
    """What it is better than the incumbent by, in points of a case on average; above 0: the race would have erred."""

    @classmethod
    def find(cls, evaluation: Evaluation) -> Audit | None:
        """Return that of an evaluation, if its candidate was audited."""
        metrics = evaluation.metrics
        return cls(int(metrics[AFTER]), metrics[GAIN]) if AFTER in metrics else None

    def add_to(self, evaluation: Evaluation) -> Evaluation:
        own = {AFTER: float(self.after), GAIN: self.gain}
        return evaluation.model_copy(update={"metrics": FrozenDict({**evaluation.metrics, **own})})


def is_audited(seed: int, share: float) -> bool:
    """Return whether a trial is among the share of those that are audited.

    Args:
        seed: of the trial.
        share: of all candidates that races give up.
    """
    return random.Random(f"audit {seed}").random() < share

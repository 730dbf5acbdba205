"""The front of a run: the trials that no other one beats in all objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evograft_hookspecs import Trial, dominates

FEWEST = 2
"""Of one objective the front is the best trial."""


@dataclass(frozen=True)
class FrontTrial:
    """A trial on the front."""

    trial: int
    score: float
    objectives: Mapping[str, float]


class ParetoFront:
    """A fold over commits, for evaluations with several objectives; of equal trials, the first one counts."""

    def __init__(self) -> None:
        self._trials: list[FrontTrial] = []

    @property
    def trials(self) -> tuple[FrontTrial, ...]:
        """Return the front, the highest score first."""
        return tuple(sorted(self._trials, key=lambda each: (-each.score, each.trial)))

    def add(self, trial: Trial) -> None:
        """Add a trial that is committed now."""
        objectives = trial.evaluation.objectives
        if len(objectives) < FEWEST or trial.score is None or trial.duplicate_of is not None:
            return
        if any(each.objectives == objectives or dominates(each.objectives, objectives) for each in self._trials):
            return
        self._trials = [each for each in self._trials if not dominates(objectives, each.objectives)]
        self._trials.append(FrontTrial(trial.number, trial.score, objectives.to_dict()))

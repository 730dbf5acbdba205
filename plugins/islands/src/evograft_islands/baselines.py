"""Baselines on the same loop: where trials start when a single program is remembered instead of a population."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from evograft_hookspecs import Trial
from evograft_islands.island import Elite, find_elite
from evograft_islands.options import BaselineName
from evograft_islands.seen_trials import SeenTrials


@dataclass
class SelectionBaseline(ABC):
    """Everything a baseline knows, as a fold over the committed trials, row by row."""

    head: Elite | None = None
    """The parent of the trials to come; `None`: they start afresh."""
    committed: SeenTrials = field(default_factory=SeenTrials)

    def tell(self, trial: Trial) -> None:
        """Fold one row in; skip a row that was seen before."""
        if not self.committed.add(trial.number):
            return
        elite = find_elite(trial)
        if elite is not None and self._accepts(trial, elite.score):
            self.head = elite

    @abstractmethod
    def _accepts(self, trial: Trial, score: float) -> bool:
        """Return whether a trial becomes the head."""


class BestOfN(SelectionBaseline):
    """Independent samples: all start from the best seed program, of equals the first, and none from a sample."""

    def _accepts(self, trial: Trial, score: float) -> bool:
        return trial.selection is None and (self.head is None or score > self.head.score)


class Sequential(SelectionBaseline):
    """One chain by greedy hill climbing: a trial at least as good as the head takes its place.

    Equals too, or the chain would stand still wherever most changes make no difference.
    """

    def _accepts(self, trial: Trial, score: float) -> bool:  # noqa: ARG002 - seeds are links like all others
        return self.head is None or score >= self.head.score


BASELINES: dict[BaselineName, type[SelectionBaseline]] = {"best_of_n": BestOfN, "sequential": Sequential}

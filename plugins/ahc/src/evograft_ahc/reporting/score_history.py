"""The course of a run, as far as its pictures show it: a view of its history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from statistics import fmean

from evograft.api import Commit, Journal, Pipeline, RunHistory
from evograft_ahc.contests.task import sign_of
from evograft_ahc.reporting.judging_summary import summarize_judging
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Trial


@dataclass
class Generation:
    """The scores of one generation."""

    number: int
    scores: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return max(self.scores)

    @property
    def mean(self) -> float:
        return fmean(self.scores)


class ScoreHistory:
    """The scores of a run: a view of its history.

    Args:
        history: read up to now.
        commits: the trials, in the order of their commits.
    """

    def __init__(self, history: RunHistory, commits: Iterable[Commit]) -> None:
        self.steps: list[Trial] = []
        """The trials that were the best when they were committed."""
        self._commits: list[Commit] = []
        self._generations: dict[int, Generation] = {}
        for commit in commits:
            self._add(commit)
        frame = ReferenceFrame.within(history.problem.analysis) if history.problem else None
        self.references = frame.references if frame else References()
        self.judging = summarize_judging(self._commits, frame.clock if frame else "wall")
        self.sign = sign_of(frame.direction) if frame else 1
        """-1 where the contest's scores are the better the less they are."""

    @classmethod
    def read(cls, journal: Journal, settings: Pipeline) -> ScoreHistory:
        """Return the scores of a run up to now; trials that wait for an earlier one come last."""
        history = RunHistory(journal, settings)
        return cls(history, chain(history.read_on(), history.close()))

    @property
    def generations(self) -> list[Generation]:
        """Those with a score, the first one being that of the seed programs."""
        return [self._generations[number] for number in sorted(self._generations)]

    def _add(self, commit: Commit) -> None:
        self._commits.append(commit)
        if commit.trial.score is not None:
            generation = self._generations.setdefault(commit.generation, Generation(commit.generation))
            generation.scores.append(commit.trial.score)
        if commit.is_best:
            self.steps.append(commit.trial)

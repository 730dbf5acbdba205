"""The course of a run, as far as its pictures show it: a fold over the rows of its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

from evograft.api import Finished, Record
from evograft_ahc.contests.task import sign_of
from evograft_ahc.records.ids import CandidateNaming
from evograft_ahc.scoring.reference_frame import ReferenceFrame
from evograft_ahc.scoring.references import References
from evograft_hookspecs import Problem, Trial


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
    """What the log of a run adds up to.

    Args:
        records: the rows.
        generation_size: candidates of a generation.
    """

    def __init__(self, records: Iterable[Record], generation_size: int) -> None:
        self.references = References()
        self.sign = 1
        """-1 where the contest's scores are the better the less they are."""
        self.steps: list[Trial] = []
        """The trials that were the best when they came, by number."""
        self._naming = CandidateNaming(0, generation_size)
        self._generations: dict[int, Generation] = {}
        for record in records:
            self._add(record)

    @property
    def generations(self) -> list[Generation]:
        """Those with a score, the first one being that of the seed programs."""
        return [self._generations[number] for number in sorted(self._generations)]

    def _add(self, record: Record) -> None:
        if isinstance(record, Problem):
            self._naming = CandidateNaming(len(record.seeds), self._naming.generation_size)
            reference_frame = ReferenceFrame.within(record.analysis)
            self.references, self.sign = reference_frame.references, sign_of(reference_frame.direction)
        elif isinstance(record, Finished) and record.trial.score is not None:
            self._add_trial(record.trial, record.trial.score)

    def _add_trial(self, trial: Trial, score: float) -> None:
        number = self._naming.place(trial.number).generation
        self._generations.setdefault(number, Generation(number)).scores.append(score)
        best = self.steps[-1].score if self.steps else None
        if best is None or score > best:
            self.steps.append(trial)

"""What the kernel itself keeps of the trials committed so far: which candidates were seen, and the best."""

from __future__ import annotations

from functools import lru_cache

from evograft.journal import Journal
from evograft_hookspecs import Trial


class Best:
    """The trial with the highest score; of equals, the one that was seen first."""

    def __init__(self) -> None:
        self.trial: Trial | None = None

    @property
    def score(self) -> float | None:
        return None if self.trial is None else self.trial.score

    def see(self, trial: Trial) -> bool:
        """Whether the trial is better than all before."""
        better = trial.score is not None and (self.score is None or trial.score > self.score)
        if better:
            self.trial = trial
        return better


class Population:
    """A fold over commits. Trials themselves stay in the log, so memory grows by a hash a trial."""

    def __init__(self, journal: Journal) -> None:
        self._first_seen: dict[bytes, tuple[int, int]] = {}
        self._committed: set[int] = set()
        self.trial = lru_cache(maxsize=512)(journal.trial)
        self.best = Best()
        self.best_at = 0
        """The number of commits when the best was found."""
        self.commits = 0

    def commit(self, trial: Trial) -> None:
        position, self.commits = self.commits, self.commits + 1
        self._committed.add(trial.number)
        if trial.candidate is not None and trial.evaluation.status in ("ok", "rejected"):
            self._first_seen.setdefault(bytes.fromhex(trial.candidate.id), (position, trial.number))
        if self.best.see(trial):
            self.best_at = self.commits

    def has(self, number: int) -> bool:
        """Whether a trial is committed."""
        return number in self._committed

    def find_duplicate(self, candidate_id: str, *, view: int) -> int | None:
        """The first trial with the same candidate among the first `view` commits.

        Trials that were pruned or failed are no answer: under another bar, or on another day, they would end otherwise.
        """
        position, number = self._first_seen.get(bytes.fromhex(candidate_id), (view, 0))
        return number if position < view else None

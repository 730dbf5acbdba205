"""Recognising candidates that were there before, or as good as there, before an evaluation is paid for."""

from __future__ import annotations

from evograft.config import Novelty
from evograft.population import Population
from evograft_hookspecs import Candidate, Trial


class Duplicates:
    """A fold over commits. `find` reads what the view of a trial fixes, so it may run on any thread."""

    def __init__(self, novelty: Novelty, population: Population) -> None:
        self._novelty = novelty
        self._population = population
        self._first_seen: dict[bytes, tuple[int, int]] = {}

    def fingerprint(self, candidate: Candidate, language: str) -> str:
        """What exact duplicates share, and by the pipeline's wish near ones too."""
        if self._novelty.duplicates == "exact" or not language:
            return candidate.id
        from evograft.novelty.tokens import fingerprint

        return fingerprint(candidate.files, candidate.kind, language)

    def commit(self, trial: Trial, fingerprint: str) -> None:
        """Remembers a trial that was just committed.

        Trials that were pruned or failed are no answer: under another bar, or on another day, they would end otherwise.
        """
        if trial.candidate is not None and trial.evaluation.status in ("ok", "rejected"):
            position = self._population.position(trial.number)
            self._first_seen.setdefault(bytes.fromhex(fingerprint), (position, trial.number))

    def find(self, fingerprint: str, *, view: int) -> int | None:
        """The first trial with the same fingerprint among the first `view` commits."""
        position, number = self._first_seen.get(bytes.fromhex(fingerprint), (view, 0))
        return number if position < view else None

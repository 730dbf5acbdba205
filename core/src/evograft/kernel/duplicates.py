"""Duplicates: candidates that were there before, or nearly so, are found before an evaluation is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from threading import Lock
from typing import NamedTuple, Self

from evograft.concurrency.deadline_pool import off_the_clock
from evograft.config.pipeline import Novelty
from evograft.kernel.embedding_judge import EmbeddingJudge
from evograft.log.journal import NO_KEYS
from evograft.log.population import Population
from evograft.log.records import Prints
from evograft.text.masking import Keys
from evograft_hookspecs import Candidate, Trial
from evograft_hookspecs.drivers.embedding import EmbeddingDriver
from evograft_hookspecs.drivers.novelty import ProgramComparer

KEPT = 1024
"""How many trials' shingles are kept for the next comparison."""


class DuplicateCheck(NamedTuple):
    """The result of comparing a candidate with those of the trials in view."""

    prints: Prints
    duplicate: Trial | None = None
    """The trial that it repeats."""


class Duplicates:
    """A fold over commits. The result depends on the view of a trial only, so it may be asked on any thread.

    Args:
        comparer: needed unless only equal files are duplicates.
        judge: compares by embeddings, if that is asked for.
    """

    def __init__(
        self,
        novelty: Novelty,
        population: Population,
        comparer: ProgramComparer | None,
        judge: EmbeddingJudge | None,
        keys: Keys = NO_KEYS,
    ) -> None:
        self._novelty = novelty
        self._population = population
        self._comparer = comparer
        self._judge = judge
        self._keys = keys
        self._fingerprints = Fingerprints(population, self._fingerprint)
        self._shingles_of_trial = lru_cache(maxsize=KEPT)(self._shingles_of)

    @classmethod
    @contextmanager
    def open(
        cls,
        novelty: Novelty,
        population: Population,
        comparer: ProgramComparer | None,
        embedding: EmbeddingDriver | None,
        keys: Keys,
    ) -> Iterator[Self]:
        """Compare with the drivers of a run, which are closed behind the block."""
        if embedding is None:
            yield cls(novelty, population, comparer, None, keys)
            return
        with closing(EmbeddingJudge(embedding)) as judge:
            yield cls(novelty, population, comparer, judge, keys)

    def compare(
        self, candidate: Candidate, language: str, *, parents: tuple[Trial, ...], view: int, is_meant: bool = False
    ) -> DuplicateCheck:
        """Look for the earlier trial among the first `view` commits that a candidate repeats.

        Args:
            candidate: that was just made.
            language: of its programs.
            parents: trials that it was made from.
            view: how many commits its trial sees.
            is_meant: whether the candidate is evaluated again on purpose, so that nothing is looked for.

        Raises:
            ServiceError: the judge of likeness failed; that never means that a candidate is new.
        """
        prints = self.prints(candidate, language)
        if is_meant:
            return DuplicateCheck(prints)
        return DuplicateCheck(prints, self.find(candidate, prints, language, parents=parents, view=view))

    def prints(self, candidate: Candidate, language: str) -> Prints:
        """Return the prints that near duplicates of a candidate share."""
        if self._comparer is None or self._novelty.duplicates == "exact" or not language:
            return Prints()
        taken = self._comparer.sketch(candidate.files, candidate.kind, language)
        # The log keeps a program with a key in it masked, which has another fingerprint.
        is_masked = any(map(self._keys.found_in, candidate.files.values()))
        return Prints(taken, self._fingerprints.of(candidate, "" if is_masked else taken, language))

    def commit(self, trial: Trial, prints: Prints) -> None:
        """Remember a trial that was just committed."""
        if trial.candidate is not None and _is_answer(trial):
            self._fingerprints.commit(trial.number, prints.sketch, _key(trial.candidate, prints))

    def find(
        self, candidate: Candidate, prints: Prints, language: str, *, parents: tuple[Trial, ...], view: int
    ) -> Trial | None:
        """Return the earlier trial among the first `view` commits that a candidate repeats.

        Raises:
            ServiceError: the judge of likeness failed; that never means that a candidate is new.
        """
        key = _key(candidate, prints)
        first = self._fingerprints.first(prints.sketch, key, language) if key else None
        if first and first[0] < view:
            return self._population.trial(first[1])
        if self._novelty.threshold == 1.0 and self._judge is None:
            return None
        others = tuple(self._others(parents, view))
        return self._alike_in_tokens(candidate, language, others) or self._alike_in_meaning(candidate, others)

    def _others(self, parents: tuple[Trial, ...], view: int) -> Iterator[Trial]:
        """Return the parents and the newest trials in view, each once, if they are an answer."""
        latest = self._population.history(view).latest(self._novelty.among)
        known = {trial.number: trial for trial in (*parents, *reversed(latest))}
        return filter(_is_answer, known.values())

    def _alike_in_tokens(self, candidate: Candidate, language: str, others: tuple[Trial, ...]) -> Trial | None:
        if self._comparer is None or self._novelty.threshold == 1.0:
            return None
        own = self._comparer.shingles(candidate.files, language)
        shingles = [self._shingles_of_trial(other.number, language) for other in others]
        likeness = [self._comparer.similarity(own, each) for each in shingles]
        return _most_alike(likeness, others, self._novelty.threshold)

    def _alike_in_meaning(self, candidate: Candidate, others: tuple[Trial, ...]) -> Trial | None:
        if self._judge is None or self._novelty.embedding is None:
            return None
        likeness = self._judge.likeness(candidate, [each.candidate for each in others if each.candidate is not None])
        return _most_alike(likeness, others, self._novelty.embedding.threshold)

    def _shingles_of(self, number: int, language: str) -> frozenset[int]:
        candidate = self._population.trial(number).candidate
        if candidate is None or self._comparer is None:
            return frozenset()
        return self._comparer.shingles(candidate.files, language)

    def _fingerprint(self, candidate: Candidate, language: str) -> str:
        assert self._comparer is not None, "candidates without a comparer are told apart by their ids"
        return self._comparer.fingerprint(candidate.files, candidate.kind, language)


class Fingerprints:
    """The first trial of each fingerprint, where fingerprints are taken only once two sketches meet.

    A fold over commits, for any thread. Most programs have a sketch of their own, and taking it costs much less.

    Args:
        fingerprint: takes the fingerprint of a candidate in a language.
    """

    def __init__(self, population: Population, fingerprint: Callable[[Candidate, str], str]) -> None:
        self._population = population
        self._fingerprint = fingerprint
        self._first: dict[bytes, tuple[int, int]] = {}
        self._unread: dict[str, set[int]] = {}
        """By sketch, the trials whose fingerprint nobody has asked for. Those without a sketch meet every candidate."""
        self._lock = Lock()
        """Held for moments: a program without a sketch has all the others read, and meanwhile trials are committed."""

    def of(self, candidate: Candidate, sketch: str, language: str) -> str:
        """Return the fingerprint; empty if no trial that was committed can have the same."""
        if sketch and sketch not in self._unread and "" not in self._unread:
            return ""
        return self._fingerprint(candidate, language)

    def commit(self, number: int, sketch: str, fingerprint: str) -> None:
        """Remember a trial that was just committed."""
        with self._lock:
            unread = self._unread.setdefault(sketch, set())
            if fingerprint:
                self._see(fingerprint, number)
            else:
                unread.add(number)

    def first(self, sketch: str, fingerprint: str, language: str) -> tuple[int, int] | None:
        """Return position and number of the first trial that has the fingerprint."""
        with off_the_clock():  # how many others are unread is not this candidate's doing
            for each in [sketch] if sketch else self._sketches():
                self._read(each, language)
        with self._lock:
            return self._first.get(bytes.fromhex(fingerprint))

    def _sketches(self) -> list[str]:
        with self._lock:
            return list(self._unread)

    def _read(self, sketch: str, language: str) -> None:
        """Take the fingerprints of a sketch's trials. Another thread may do the same, and finds the same."""
        while (number := self._next_unread(sketch)) is not None:
            candidate = self._population.trial(number).candidate
            assert candidate is not None, "it was sketched"
            fingerprint = self._fingerprint(candidate, language)
            with self._lock:
                self._see(fingerprint, number)
                self._unread[sketch].discard(number)

    def _next_unread(self, sketch: str) -> int | None:
        with self._lock:
            return next(iter(self._unread.get(sketch, ())), None)

    def _see(self, fingerprint: str, number: int) -> None:
        place = self._population.position(number), number
        key = bytes.fromhex(fingerprint)
        self._first[key] = min(place, self._first.get(key, place))


def _key(candidate: Candidate, prints: Prints) -> str:
    """Return what is compared as the fingerprint; empty: nobody asked for it."""
    return prints.fingerprint or ("" if prints.sketch else candidate.id)


def _is_answer(trial: Trial) -> bool:
    """Return whether a trial says what its candidate is worth.

    One that was pruned or failed does not: with another incumbent, or on another day, it would end otherwise.
    """
    return trial.candidate is not None and trial.evaluation.status in ("ok", "rejected")


def _most_alike(likeness: list[float] | tuple[float, ...], others: tuple[Trial, ...], threshold: float) -> Trial | None:
    """Return the most alike of those that are alike enough; of equals, the one that was compared first."""
    best = max(range(len(others)), key=likeness.__getitem__, default=None)
    return others[best] if best is not None and likeness[best] >= threshold else None

"""The first trial of each fingerprint, where fingerprints are taken only once two sketches meet."""

from __future__ import annotations

from threading import Lock

from evograft.novelty import tokens
from evograft.population import Population
from evograft_hookspecs import Candidate


class Fingerprints:
    """A fold over commits, for any thread. Most programs have a sketch of their own, and to take it costs much less."""

    def __init__(self, population: Population) -> None:
        self._population = population
        self._first: dict[bytes, tuple[int, int]] = {}
        self._unread: dict[str, list[int]] = {}
        """By sketch, the trials whose fingerprint nobody has asked for. Those without a sketch meet every candidate."""
        self._turn = Lock()

    def of(self, candidate: Candidate, sketch: str, language: str) -> str:
        """The fingerprint; empty if no trial that was committed can have the same."""
        if sketch and sketch not in self._unread and "" not in self._unread:
            return ""
        return tokens.fingerprint(candidate.files, candidate.kind, language)

    def commit(self, number: int, sketch: str, fingerprint: str) -> None:
        """Remembers a trial that was just committed."""
        with self._turn:
            unread = self._unread.setdefault(sketch, [])
            if fingerprint:
                self._see(fingerprint, number)
            else:
                unread.append(number)

    def first(self, sketch: str, fingerprint: str, language: str) -> tuple[int, int] | None:
        """Position and number of the first trial that has the fingerprint."""
        with self._turn:
            for each in [sketch] if sketch else list(self._unread):
                self._read(each, language)
            return self._first.get(bytes.fromhex(fingerprint))

    def _read(self, sketch: str, language: str) -> None:
        for number in self._unread.get(sketch, ()):
            candidate = self._population.trial(number).candidate
            assert candidate is not None, "it was sketched"
            self._see(tokens.fingerprint(candidate.files, candidate.kind, language), number)
        self._unread[sketch] = []

    def _see(self, fingerprint: str, number: int) -> None:
        place = self._population.position(number), number
        key = bytes.fromhex(fingerprint)
        self._first[key] = min(place, self._first.get(key, place))

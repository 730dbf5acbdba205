"""The first trial of each fingerprint, where fingerprints are taken only once two sketches meet."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from evograft.concurrency.deadline_pool import off_the_clock
from evograft.log.population import Population
from evograft_hookspecs import Candidate


class Fingerprints:
    """A fold over commits, for any thread. Most programs have a sketch of their own, and to take it costs much less.

    Args:
        fingerprint: takes that of a candidate in a language.
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
        """The fingerprint; empty if no trial that was committed can have the same."""
        if sketch and sketch not in self._unread and "" not in self._unread:
            return ""
        return self._fingerprint(candidate, language)

    def commit(self, number: int, sketch: str, fingerprint: str) -> None:
        """Remembers a trial that was just committed."""
        with self._lock:
            unread = self._unread.setdefault(sketch, set())
            if fingerprint:
                self._see(fingerprint, number)
            else:
                unread.add(number)

    def first(self, sketch: str, fingerprint: str, language: str) -> tuple[int, int] | None:
        """Position and number of the first trial that has the fingerprint."""
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

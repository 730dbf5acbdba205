"""The frontier of a run by cases: the trials that are the best on some of them."""

from __future__ import annotations

from dataclasses import dataclass

from evograft_hookspecs import Trial

SCORE = "score"
"""The only case of an evaluation that has none."""
MOST_HOLDERS = 40
"""Trials that are remembered of a case, if several are equally good: the older ones."""


@dataclass(frozen=True)
class CaseFrontTrial:
    """A trial that is the best on some cases."""

    trial: int
    score: float
    best_on: int
    """On how many cases no trial has a higher value."""
    alone_on: int
    """On how many of these no other trial is as good."""


class CaseFront:
    """A fold over commits. Of trials that are best on the same cases, the first one counts."""

    def __init__(self) -> None:
        self._cases: dict[str, tuple[float, list[int]]] = {}
        self._scores: dict[int, float] = {}
        self._is_searched = False

    @property
    def cases(self) -> tuple[str, ...]:
        """Return the names of all cases, in the order in which they came up; empty: no selection went by cases."""
        return tuple(self._cases) if self._is_searched else ()

    @property
    def trials(self) -> tuple[CaseFrontTrial, ...]:
        """Return the frontier, those that are best on most cases first; empty: no selection went by cases."""
        held = self._find_held() if self._is_searched else {}
        largest = sorted(held.items(), key=lambda pair: -len(pair[1]))
        kept: list[tuple[int, frozenset[str]]] = []
        for number, cases in largest:
            if not any(cases <= others for _, others in kept):
                kept.append((number, cases))
        return tuple(self._describe(number, cases) for number, cases in kept)

    def find_holders(self, case: str) -> tuple[int, ...]:
        """Return the trials that are the best on a case, the first one first."""
        return tuple(self._cases[case][1])

    def add(self, trial: Trial) -> None:
        """Add a trial that is committed now."""
        self._is_searched |= trial.selection is not None and trial.selection.cases > 0
        if trial.score is None or trial.duplicate_of is not None:
            return
        for case, value in (trial.evaluation.cases or {SCORE: trial.score}).items():
            best, holders = self._cases.get(case, (value, []))
            if value > best or not holders:
                self._cases[case] = (value, [trial.number])
            elif value == best and len(holders) < MOST_HOLDERS:
                holders.append(trial.number)
        self._scores[trial.number] = trial.score

    def _find_held(self) -> dict[int, frozenset[str]]:
        """Return the cases that each trial is best on, the oldest trial first."""
        held: dict[int, set[str]] = {}
        for case, (_, holders) in self._cases.items():
            for number in holders:
                held.setdefault(number, set()).add(case)
        return {number: frozenset(held[number]) for number in sorted(held)}

    def _describe(self, number: int, cases: frozenset[str]) -> CaseFrontTrial:
        alone = sum(len(self._cases[case][1]) == 1 for case in cases)
        return CaseFrontTrial(number, self._scores[number], len(cases), alone)

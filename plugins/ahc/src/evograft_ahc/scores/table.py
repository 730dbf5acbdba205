"""What a record of scores adds up to: the best of each case, and each program against it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from evograft_ahc.contests.task import Direction, sign_of
from evograft_ahc.scores.run import RunSource, ScoredRun
from evograft_ahc.scoring.scale import compute_relative

BY_HAND: tuple[RunSource, ...] = ("test", "pahcer")
"""Where the runs come from that a person has begun."""
HASH = 6
"""Characters of a program's hash that its label shows."""


@dataclass(frozen=True)
class CaseLeader:
    """The best that is known of a case."""

    score: float
    program: str
    """Its label."""


@dataclass(frozen=True)
class ProgramResult:
    """A program over all its runs; of a case that it was run on several times, the newest score counts."""

    runs: tuple[ScoredRun, ...]
    """The newest last."""

    @property
    def label(self) -> str:
        """What tells it from others; files that are tested keep their name while their content changes."""
        newest = self.runs[-1]
        return f"{newest.name}@{newest.program[:HASH]}" if newest.source == "test" else newest.name

    @cached_property
    def scores(self) -> Mapping[str, float | None]:
        merged = {case: score for run in self.runs for case, score in run.scores.items()}
        return dict(sorted(merged.items()))

    @property
    def solved(self) -> list[float]:
        return [score for score in self.scores.values() if score is not None]

    @property
    def failed(self) -> int:
        return len(self.scores) - len(self.solved)

    @property
    def total(self) -> float:
        return sum(self.solved)

    @property
    def mean(self) -> float | None:
        """Of the cases that did not fail."""
        return self.total / len(self.solved) if self.solved else None

    @property
    def comment(self) -> str:
        """The newest that there is."""
        return next((run.comment for run in reversed(self.runs) if run.comment), "")

    @property
    def is_pruned(self) -> bool:
        """Whether it was never run on all cases that it was meant for."""
        return all(run.is_pruned for run in self.runs)


class ScoreTable:
    """The runs of a workspace, seen together.

    Args:
        runs: all of them, the newest last.
        direction: in which scores are better.
    """

    def __init__(self, runs: Sequence[ScoredRun], direction: Direction) -> None:
        self.runs = runs
        self._direction = direction

    @cached_property
    def programs(self) -> tuple[ProgramResult, ...]:
        """All programs, the one with the highest mean relative score first."""
        known = (program for program in self._by_program.values() if program.runs[0].source != "best")
        return tuple(sorted(known, key=lambda each: (-self.relative(each), each.label)))

    @cached_property
    def best(self) -> Mapping[str, CaseLeader]:
        """The best score of each case that any run solved, and the first program that had it."""
        sign, best = sign_of(self._direction), dict[str, CaseLeader]()
        for run in self.runs:
            label = self._by_program[run.identity].label
            for case, score in run.scores.items():
                if score is not None and (case not in best or sign * score > sign * best[case].score):
                    best[case] = CaseLeader(score, label)
        return dict(sorted(best.items()))

    def relative(self, program: ProgramResult) -> float:
        """Return the mean share of the best score that a program has on the cases that it was run on."""
        return self.relative_of(program.scores)

    def relative_of(self, scores: Mapping[str, float | None]) -> float:
        """Return the mean share of the best score over cases.

        One that failed counts 0; one that nobody has solved does not count.
        """
        shares = [self.relative_on(case, score) for case, score in scores.items() if case in self.best]
        return sum(shares) / len(shares) if shares else 0.0

    def relative_on(self, case: str, score: float | None) -> float:
        """Return a score as a share of the best of its case."""
        return 0.0 if score is None else compute_relative(score, self.best[case].score, self._direction)

    def compare(self, score: float | None, other: float | None) -> int:
        """Return 1 if a score is better than another one, -1 if it is worse, else 0; any is better than a failure."""
        key, other_key = (-math.inf if each is None else sign_of(self._direction) * each for each in (score, other))
        return (key > other_key) - (key < other_key)

    def count_best(self, program: ProgramResult) -> int:
        """Return on how many cases a program has the best score, alone or not."""
        return sum(case in self.best and score == self.best[case].score for case, score in program.scores.items())

    def list_weakest(self, program: ProgramResult) -> list[str]:
        """Return the cases of a program, those on which it loses most first."""
        cases = [case for case in program.scores if case in self.best]
        return sorted(cases, key=lambda case: self.relative_on(case, program.scores[case]))

    def find_program(self, word: str) -> ProgramResult | None:
        """Return the newest program whose name is a word, or whose label begins with it; `None`: there is none.

        A program that was called so once, and is tested under another name since, is found where no other one is.
        """
        newest = sorted(self.programs, key=lambda program: program.runs[-1].at, reverse=True)
        fitting = (each for each in newest if word == each.runs[-1].name or each.label.startswith(word))
        earlier = (each for each in newest if any(word == run.name for run in each.runs))
        return next(chain(fitting, earlier), None)

    @property
    def latest(self) -> ProgramResult | None:
        """The program that was tested or imported last; without any, the best one."""
        tested = [run for run in self.runs if run.source in BY_HAND]
        if not tested:
            return next(iter(self.programs), None)
        return next(program for program in self.programs if tested[-1] in program.runs)

    @cached_property
    def _by_program(self) -> Mapping[str, ProgramResult]:
        found: dict[str, list[ScoredRun]] = {}
        for run in self.runs:
            found.setdefault(run.identity, []).append(run)
        return {identity: ProgramResult(tuple(runs)) for identity, runs in found.items()}

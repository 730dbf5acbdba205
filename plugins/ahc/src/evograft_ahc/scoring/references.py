"""What known programs scored before a run began."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from evograft_ahc.judging.outcome import CaseOutcome
from evograft_hookspecs import FrozenDict, Value

Scores = FrozenDict[str, float]
"""Case to score, in the contest's units; cases that failed are missing."""


class References(Value):
    """The programs that relative and rank scores compare with.

    They are frozen when a run starts and stand in the analysis of its problem, because an evaluation may depend on its
    arguments only: a best that moves would make the same program worth another score every hour.
    """

    programs: tuple[Scores, ...] = ()
    """The start program first, then the best of earlier sessions."""

    @cached_property
    def _by_case(self) -> dict[str, tuple[float, ...]]:
        cases = {case for program in self.programs for case in program}
        return {case: tuple(program[case] for program in self.programs if case in program) for case in cases}

    def on(self, case: str) -> tuple[float, ...]:
        """Return the scores of those that solved the case."""
        return self._by_case.get(case, ())

    def all_scores(self) -> Iterable[float]:
        return (score for program in self.programs for score in program.values())


def collect_scores(outcomes: Iterable[CaseOutcome]) -> Scores:
    """Return the part of the outcomes that `References` and `Evaluation.cases` hold."""
    return FrozenDict({outcome.case: outcome.score for outcome in outcomes if outcome.score is not None})

"""What the statement of a contest fixes, which is nobody's to tune."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from evograft_ahc.reasoning.problem_analysis import ProblemAnalysis
from evograft_ahc.reasoning.statement.analysis import StatementAnalysis
from evograft_ahc.reasoning.statement.constraints import find_constraints
from evograft_hookspecs import Problem

SMALLEST = 3
"""A smaller integer stands in every statement, and says nothing of where it stands in a program."""


@dataclass(frozen=True)
class FixedValues:
    """Names and numbers of a statement's constraints, and its time limit."""

    names: frozenset[str] = frozenset()
    """In lower case, letters and digits alone."""
    numbers: frozenset[float] = frozenset()
    seconds: float = 0.0
    """0: nobody knows."""

    def is_limit(self, value: float) -> bool:
        """Return whether a number may be the time limit, less something to spare, in seconds or milliseconds."""
        return any(0.7 * limit <= value <= limit for limit in (self.seconds, 1000 * self.seconds) if limit)


NOTHING_FIXED = FixedValues()


def read_fixed_values(problem: Problem | None) -> FixedValues:
    """Return what is fixed, by a problem's analysis and by the text of its statement."""
    if problem is None:
        return NOTHING_FIXED
    return _read(problem.statement, ProblemAnalysis.within(problem.analysis).statement)


@lru_cache(maxsize=8)
def _read(text: str, statement: StatementAnalysis) -> FixedValues:
    constraints = {**find_constraints(text), **statement.constraints}
    bounds = (bound for each in constraints.values() for bound in (each.min, each.max))
    return FixedValues(
        names=frozenset(key for name in constraints if (key := re.sub(r"[\W_]", "", name).lower())),
        numbers=frozenset(_numbers(bounds)),
        seconds=statement.time_limit_ms / 1000,
    )


def _numbers(bounds: Iterator[object]) -> Iterator[float]:
    for bound in bounds:
        if isinstance(bound, int | float) and (bound >= SMALLEST or bound != int(bound)):
            yield float(bound)

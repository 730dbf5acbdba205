"""What a run knows of one program with other numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from evograft_ahc.search.tuning.optimiser import Observation, Point
from evograft_ahc.search.tuning.parameter import ParameterRange
from evograft_ahc.search.tuning.tunable import Tunable
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class FamilyMember:
    """A program of the family, and what it is worth."""

    source: str
    tunable: Tunable
    operator: str
    """That made it."""
    score: float | None
    """An estimate if it was pruned; `None`: it was rejected."""
    is_judged: bool
    """Whether that is no estimate."""


@dataclass(frozen=True)
class ProgramFamily:
    """Programs that differ in their numbers only."""

    first: Tunable
    """Where the search for numbers began. Its ranges are those of all: that of a number without a mark follows from
    its value."""
    members: tuple[FamilyMember, ...]
    """In the order of their trials."""

    @cached_property
    def known(self) -> frozenset[str]:
        """The members, written as `write` would."""
        return frozenset(member.tunable.write(member.tunable.values) for member in self.members)

    @property
    def best(self) -> FamilyMember | None:
        """The best of those that were judged to the end."""
        judged = [member for member in self.members if member.is_judged]
        return max(judged, key=lambda member: member.score or 0.0, default=None)

    def point(self, tunable: Tunable) -> Point:
        return tuple(span.place(value) for span, value in zip(self._ranges, tunable.values, strict=True))

    def write(self, point: Point) -> str:
        return self.first.write([span.value(place) for span, place in zip(self._ranges, point, strict=True)])

    def tells(self, operator: str) -> tuple[Observation, ...]:
        """Return what is known, for the optimiser that this operator asks; of a rank an estimate is good enough."""
        return tuple(
            Observation(self.point(member.tunable), member.score, was_asked=member.operator == operator)
            for member in self.members
        )

    @cached_property
    def _ranges(self) -> tuple[ParameterRange, ...]:
        return tuple(parameter.range for parameter in self.first.parameters)


def find_family(tunable: Tunable, trials: Iterable[Trial], read: Callable[[str], Tunable]) -> ProgramFamily:
    """Return the members among some trials, which `read` takes apart; of equal programs the first one."""
    found: dict[str, FamilyMember] = {}
    for trial in sorted(trials, key=lambda trial: trial.number):
        member = _read(trial, read)
        if member is not None and member.tunable.is_like(tunable):
            found.setdefault(member.source, member)
    members = tuple(found.values())
    return ProgramFamily(members[0].tunable if members else tunable, members)


def _read(trial: Trial, read: Callable[[str], Tunable]) -> FamilyMember | None:
    candidate, evaluation = trial.candidate, trial.evaluation
    if candidate is None or len(candidate.files) != 1 or evaluation.status == "failed":
        return None
    tunable = read(candidate.source)
    return FamilyMember(
        candidate.source, tunable, candidate.operator, evaluation.score, is_judged=evaluation.status == "ok"
    )

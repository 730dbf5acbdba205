"""What a run knows of one program with other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from evograft_ahc.tuning.optimiser import Point, Tell
from evograft_ahc.tuning.options import TuningOptions
from evograft_ahc.tuning.parameter import Range
from evograft_ahc.tuning.tunable import Tunable, read_tunable
from evograft_hookspecs import Trial


@dataclass(frozen=True)
class Family:
    """Programs that differ in their numbers only."""

    first: Tunable
    """Where the search for numbers began. Its ranges are those of all, since that of a number without a mark follows from
    its value."""
    members: tuple[tuple[Tunable, Trial], ...]
    """In the order of their trials."""

    @cached_property
    def known(self) -> frozenset[str]:
        """The members, written as `write` would."""
        return frozenset(tunable.write(tunable.values) for tunable, _ in self.members)

    def point(self, member: Tunable) -> Point:
        ranges = self._ranges
        return tuple(span.place(value) for span, value in zip(ranges, member.values, strict=True))

    def write(self, point: Point) -> str:
        return self.first.write([span.value(place) for span, place in zip(self._ranges, point, strict=True)])

    def tells(self, operator: str) -> tuple[Tell, ...]:
        """What each member is worth, for the optimiser that the operator asks.

        The score of a pruned one is an estimate, good enough for its rank.
        """
        return tuple(
            Tell(
                self.point(tunable),
                trial.evaluation.score,
                was_asked=trial.candidate is not None and trial.candidate.operator == operator,
            )
            for tunable, trial in self.members
        )

    @cached_property
    def _ranges(self) -> tuple[Range, ...]:
        return tuple(parameter.range for parameter in self.first.parameters)


def find_family(tunable: Tunable, trials: Iterable[Trial], options: TuningOptions) -> Family:
    """The members among some trials; of equal programs the first one."""
    members: dict[str, tuple[Tunable, Trial]] = {}
    for trial in sorted(trials, key=lambda trial: trial.number):
        if trial.candidate is None or len(trial.candidate.files) != 1 or trial.evaluation.status == "failed":
            continue
        other = read_of(trial.candidate.source, options)
        if other.is_like(tunable):
            members.setdefault(trial.candidate.source, (other, trial))
    found = tuple(members.values())
    return Family(found[0][0] if found else tunable, found)


def read_of(source: str, options: TuningOptions) -> Tunable:
    """A program taken apart as the options say."""
    return read_tunable(source, unmarked=options.unmarked, most=options.most)

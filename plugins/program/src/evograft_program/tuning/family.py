"""What a run knows of one program with other numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evograft_hookspecs import Trial
from evograft_program.tuning.literals.choices import choose
from evograft_program.tuning.optimiser import Point, TriedPoint
from evograft_program.tuning.program_literals import ProgramLiterals, read_program
from evograft_program.tuning.scale import LiteralScale


@dataclass(frozen=True)
class LiteralFamily:
    """Programs that differ only in the numbers that are choices in the first of them."""

    first: ProgramLiterals
    """Where the search for numbers began. What it tunes, and how far, follows from its values for all."""
    chosen: tuple[int, ...]
    """The places of the numbers."""
    members: tuple[tuple[ProgramLiterals, Trial], ...]
    """Programs and their trials, in the order of the trials."""

    def point(self, program: ProgramLiterals) -> Point:
        values = program.values
        return tuple(scale.place(values[place]) for place, scale in zip(self.chosen, self._scales, strict=True))

    def write(self, point: Point) -> dict[str, str]:
        values = (scale.value(place) for scale, place in zip(self._scales, point, strict=True))
        return self.first.write(dict(zip(self.chosen, values, strict=True)))

    def tried(self, operator: str) -> tuple[TriedPoint, ...]:
        """Return what is known, for the optimiser that an operator asks."""
        return tuple(
            TriedPoint(self.point(program), trial.evaluation.score, was_asked=_maker(trial) == operator)
            for program, trial in self.members
        )

    @cached_property
    def known(self) -> frozenset[tuple[tuple[str, str], ...]]:
        """The files of all members."""
        return frozenset(tuple(trial.candidate.files.items()) for _, trial in self.members if trial.candidate)

    def knows(self, files: Mapping[str, str]) -> bool:
        return tuple(files.items()) in self.known

    @cached_property
    def _scales(self) -> tuple[LiteralScale, ...]:
        chosen = [self.first.placed[place].literal for place in self.chosen]
        return tuple(LiteralScale(literal.value, literal.notation.is_integer) for literal in chosen)


def find_family(files: Mapping[str, str], trials: Iterable[Trial], *, language: str, most: int) -> LiteralFamily:
    """Return the family of a program among some trials; of equal programs, the first one is the member.

    Args:
        files: the program.
        trials: what is known.
        language: of files whose path does not tell.
        most: how many numbers are tuned at once.
    """
    program = read_program(files, language)
    alike = [each for each in _read_trials(trials, language) if each[0].shape == program.shape]
    for first in (*(each for each, _ in alike), program):
        chosen = choose(first.placed, most=most)
        if _agree(first, program, chosen):
            return LiteralFamily(first, chosen, tuple(each for each in alike if _agree(first, each[0], chosen)))
    raise AssertionError("a program agrees with itself")


def _read_trials(trials: Iterable[Trial], language: str) -> Iterable[tuple[ProgramLiterals, Trial]]:
    """Yield each program once, with its first trial; nothing is known where the infrastructure broke."""
    seen: set[str] = set()
    for trial in sorted(trials, key=lambda trial: trial.number):
        candidate = trial.candidate
        if candidate is None or trial.evaluation.status == "failed" or candidate.id in seen:
            continue
        seen.add(candidate.id)
        yield read_program(candidate.files, language), trial


def _agree(one: ProgramLiterals, other: ProgramLiterals, chosen: Sequence[int]) -> bool:
    """Return whether two programs of one shape have equal numbers but for the chosen ones."""
    free = frozenset(chosen)
    pairs = enumerate(zip(one.values, other.values, strict=True))
    return all(place in free or a == b for place, (a, b) in pairs)


def _maker(trial: Trial) -> str:
    return trial.candidate.operator if trial.candidate else ""

"""A program taken apart at its numbers, so that it can be written with others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evograft_ahc.search.tuning.choices import is_choice
from evograft_ahc.search.tuning.fixed_values import NOTHING_FIXED, FixedValues
from evograft_ahc.search.tuning.marks import TuningMark
from evograft_ahc.search.tuning.numbers import FoundNumber, ProgramNumbers, find_numbers
from evograft_ahc.search.tuning.parameter import ParameterRange, TunableParameter
from evograft_ahc.search.tuning.spans import find_range


@dataclass(frozen=True)
class Tunable:
    """A program and its numbers. Those of a kind can exchange values."""

    pieces: tuple[str, ...]
    """The text before, between and behind the numbers: what all of a kind share."""
    parameters: tuple[TunableParameter, ...]

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(parameter.value for parameter in self.parameters)

    def is_like(self, other: Tunable) -> bool:
        """Return whether they are the same program but for the numbers."""
        return self.pieces == other.pieces

    def write(self, values: Sequence[float]) -> str:
        """Return the program with other values."""
        numbers = (parameter.write(value) for parameter, value in zip(self.parameters, values, strict=True))
        return self.pieces[0] + "".join(number + piece for number, piece in zip(numbers, self.pieces[1:], strict=True))


@lru_cache(maxsize=2048)
def read_tunable(source: str, *, unmarked: bool = False, most: int = 24, fixed: FixedValues = NOTHING_FIXED) -> Tunable:
    """Take a program apart.

    Args:
        source: C++, maybe broken.
        unmarked: take numbers without a mark, too. They are all there is where none is marked.
        most: how many numbers without a mark there may be; constants go before other numbers.
        fixed: numbers that are taken with a mark only.
    """
    text = source.encode()
    numbers = find_numbers(text)
    parameters = list(_marked(numbers))
    if unmarked or not parameters:
        taken = {parameter.start for parameter in parameters}
        free = [number for number in numbers.found if number.start not in taken and is_choice(number, fixed)]
        free.sort(key=lambda number: not number.is_constant)
        parameters += [_parameter(number, find_range(number)) for number in free[:most]]
    parameters.sort(key=lambda parameter: parameter.start)
    ends = [0, *(parameter.end for parameter in parameters)]
    starts = [*(parameter.start for parameter in parameters), len(text)]
    pieces = tuple(text[end:start].decode() for end, start in zip(ends, starts, strict=True))
    return Tunable(pieces, tuple(parameters))


def unreadable_marks(source: str) -> tuple[str, ...]:
    """Return what is wrong with the marks of a program, a line each, such as to warn of at the start of a run."""
    numbers = find_numbers(source.encode())
    mistakes = ((mark.line, mark.mistake or _find_mistake(mark, numbers)) for mark in numbers.marks)
    return tuple(f"line {line}: {mistake}" for line, mistake in mistakes if mistake)


def _find_mistake(mark: TuningMark, numbers: ProgramNumbers) -> str:
    number = _find_marked(mark, numbers)
    if number is None:
        return "there is no number, or more than one, that the mark can be about"
    return "" if mark.range or number.literal.value else "a mark of 0 needs a range: `evo: param LOW..HIGH`"


def _marked(numbers: ProgramNumbers) -> Iterator[TunableParameter]:
    for mark in numbers.marks:
        number = _find_marked(mark, numbers)
        if number is not None and not mark.mistake and (mark.range or number.literal.value):
            yield _parameter(number, mark.range or find_range(number), is_marked=True)


def _find_marked(mark: TuningMark, numbers: ProgramNumbers) -> FoundNumber | None:
    """Return the number of the mark's line; of several, the one that is all of a variable's value."""
    on_line = [number for number in numbers.found if number.line == mark.line]
    whole = [number for number in on_line if number.is_whole]
    candidates = whole or on_line
    if len(candidates) != 1:
        return None
    # Within an expression a sign could make something else of what stands before it.
    low = mark.range.low if mark.range else candidates[0].literal.value
    return candidates[0] if whole or low >= 0 else None


def _parameter(number: FoundNumber, span: ParameterRange, *, is_marked: bool = False) -> TunableParameter:
    literal = number.literal
    return TunableParameter(number.name, number.start, number.end, literal.value, literal.form, span, is_marked)

"""A program taken apart at its numbers, so that it can be written with others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evograft_ahc.search.tuning.marks import TuningMark
from evograft_ahc.search.tuning.numbers import FoundNumber, ProgramNumbers, find_numbers
from evograft_ahc.search.tuning.parameter import ParameterRange, TunableParameter

SPAN = 10.0
"""A number without a mark may become so many times larger or smaller."""
INTEGER_SPAN = 4.0
"""Likewise an integer."""
SMALLEST, LARGEST, LARGEST_INTEGER = 1e-6, 1e9, 1e6
"""What lies beyond is a tolerance, stands for infinity, or seeds a generator."""
MOST_DIGITS = 6
"""A number with more is a constant of nature."""
NO_CHOICE = frozenset(
    {
        "deadline",
        "eps",
        "epsilon",
        "inf",
        "infinity",
        "limit",
        "mod",
        "ms",
        "pi",
        "sec",
        "seconds",
        "seed",
        "time",
        "tl",
    }
)
"""Words in names of what nobody chooses: all of the time is better than less, up to the judge's limit."""


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
        numbers = (parameter.form.write(value) for parameter, value in zip(self.parameters, values, strict=True))
        return self.pieces[0] + "".join(number + piece for number, piece in zip(numbers, self.pieces[1:], strict=True))


@lru_cache(maxsize=2048)
def read_tunable(source: str, *, unmarked: bool = False, most: int = 24) -> Tunable:
    """Take a program apart.

    Args:
        source: C++, maybe broken.
        unmarked: take numbers without a mark, too. They are all there is where none is marked.
        most: how many numbers without a mark there may be; constants go before other numbers.
    """
    text = source.encode()
    numbers = find_numbers(text)
    parameters = list(_marked(numbers))
    if unmarked or not parameters:
        taken = {parameter.start for parameter in parameters}
        free = [number for number in numbers.found if number.start not in taken and _is_choice(number)]
        free.sort(key=lambda number: not number.is_constant)
        parameters += [_parameter(number, _range_around(number)) for number in free[:most]]
    parameters.sort(key=lambda parameter: parameter.start)
    ends = [0, *(parameter.end for parameter in parameters)]
    starts = [*(parameter.start for parameter in parameters), len(text)]
    pieces = tuple(text[end:start].decode() for end, start in zip(ends, starts, strict=True))
    return Tunable(pieces, tuple(parameters))


def unreadable_marks(source: str) -> tuple[str, ...]:
    """Return what is wrong with the marks of a program, a line each, such as to warn of at the start of a run."""
    numbers = find_numbers(source.encode())
    return tuple(
        f"line {mark.line}: {mark.mistake or 'there is no number, or more than one, that the mark can be about'}"
        for mark in numbers.marks
        if mark.range is None or _find_marked(mark, numbers) is None
    )


def _marked(numbers: ProgramNumbers) -> Iterator[TunableParameter]:
    for mark in numbers.marks:
        number = _find_marked(mark, numbers)
        if number is not None and mark.range is not None:
            yield _parameter(number, mark.range, is_marked=True)


def _find_marked(mark: TuningMark, numbers: ProgramNumbers) -> FoundNumber | None:
    """Return the number of the mark's line; of several, the one that is all of a variable's value."""
    on_line = [number for number in numbers.found if number.line == mark.line]
    whole = [number for number in on_line if number.is_whole]
    candidates = whole or on_line
    if len(candidates) != 1:
        return None
    # Within an expression a sign could make something else of what stands before it.
    return candidates[0] if whole or (mark.range and mark.range.low >= 0) else None


def _parameter(number: FoundNumber, span: ParameterRange, *, is_marked: bool = False) -> TunableParameter:
    literal = number.literal
    return TunableParameter(number.name, number.start, number.end, literal.value, literal.form, span, is_marked)


def _is_choice(number: FoundNumber) -> bool:
    """Return whether a number without a mark looks like one that somebody chose."""
    literal, size = number.literal, abs(number.literal.value)
    if number.is_compiled_in or literal.digits > MOST_DIGITS or not _names_choice(number.name):
        return False
    if literal.form.is_integer:
        return number.is_constant and number.is_whole and 1 <= size < LARGEST_INTEGER
    return SMALLEST <= size < LARGEST and (number.is_constant or size != 1)


def _names_choice(name: str) -> bool:
    return bool(name) and NO_CHOICE.isdisjoint(name.lower().split("_"))


def _range_around(number: FoundNumber) -> ParameterRange:
    value, form = number.literal.value, number.literal.form
    if value < 0:
        return ParameterRange(2 * value, 0.0)
    span = INTEGER_SPAN if form.is_integer else SPAN
    low = max(1.0, value / span) if form.is_integer else value / span
    return (
        ParameterRange(low, math.ceil(value * span), is_log=True)
        if form.is_integer
        else ParameterRange(low, value * span, is_log=True)
    )

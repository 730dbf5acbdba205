"""Which numbers of a program somebody chose, where no mark says so.

A real number is one, unless its name, its value or its place says otherwise. An integer is far more often a size, a
code, a bound or a mask, so its name has to say that it was chosen. Whoever wants another one tuned marks it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from evograft_ahc.search.tuning.fixed_values import FixedValues
from evograft_ahc.search.tuning.name_words import BOUNDS, ESTIMATES, has_word, rules_out_choice, says_choice, split_name
from evograft_ahc.search.tuning.numbers import FoundNumber

SMALLEST, LARGEST, LARGEST_INTEGER = 1e-6, 1e9, 1e6
"""What lies beyond is a tolerance, stands for infinity, or seeds a generator."""
MOST_DIGITS = 6
"""A number with more is a constant of nature."""
NEUTRAL = (0.5, 1.0, 2.0, 3.0, 4.0)
"""Real numbers that belong to a formula where they stand in one, as powers of ten do: `x / 2.0`."""
FAR = 4
"""A power of ten from `1e4` on, or from `1e-4` down, is a scale, a bound or a tolerance unless the name says more."""
NATURE = (math.pi, math.tau, math.e, math.log(2), math.log(10), math.sqrt(2), math.sqrt(3), (math.sqrt(5) - 1) / 2)
"""Constants, which are those of a program to so many digits as it gives, from four on; so are their inverses."""
FEWEST_DIGITS = 4
SMALLEST_MASK = 63
"""One less than a power of two, from here on, is a mask or the largest value of a type."""


def is_choice(number: FoundNumber, fixed: FixedValues) -> bool:
    """Return whether a number without a mark looks like one that somebody chose."""
    words = split_name(number.name)
    if not words or rules_out_choice(words) or number.literal.digits > MOST_DIGITS:
        return False
    if number.is_compiled_in or number.is_code or number.is_of_a_clock or _is_fixed(number, words, fixed):
        return False
    return _is_chosen_integer(number, words) if number.literal.form.is_integer else _is_chosen_real(number, words)


def _is_chosen_integer(number: FoundNumber, words: Sequence[str]) -> bool:
    value = number.literal.value
    if not number.is_constant or not number.is_whole or not 1 <= value < LARGEST_INTEGER:
        return False
    is_mask = value >= SMALLEST_MASK and math.log2(value + 1).is_integer()
    return says_choice(words) and not is_mask


def _is_chosen_real(number: FoundNumber, words: Sequence[str]) -> bool:
    size, says = abs(number.literal.value), says_choice(words)
    if not SMALLEST <= size < LARGEST or _is_of_nature(number):
        return False
    power = math.log10(size)
    if not number.is_whole:
        is_neutral = size in NEUTRAL or power.is_integer()
        return not is_neutral and (number.is_constant or says or has_word(words, ESTIMATES))
    if size == 1 and number.is_changed:
        return False
    if size == 1 or (power.is_integer() and abs(power) >= FAR):
        return says
    return says or number.is_constant or not number.is_changed


def _is_of_nature(number: FoundNumber) -> bool:
    digits, value = number.literal.digits, number.literal.value
    return digits >= FEWEST_DIGITS and any(
        math.isclose(value, each, rel_tol=0.5 * 10.0 ** (1 - digits))
        for constant in NATURE
        for each in (constant, 1 / constant)
    )


def _is_fixed(number: FoundNumber, words: Sequence[str], fixed: FixedValues) -> bool:
    """Return whether the statement fixes a number; a temperature of 1000 is none of its coordinates."""
    bounded = "".join(word for word in words if word not in BOUNDS)
    if "".join(words) in fixed.names or bounded in fixed.names:
        return True
    value, says = number.literal.value, says_choice(words)
    is_chosen_real = says and not number.literal.form.is_integer and value.is_integer()
    return (value in fixed.numbers and not is_chosen_real) or (fixed.is_limit(value) and not says)

"""The range of a number whose mark gives none, or that has no mark."""

from __future__ import annotations

import math

from evograft_ahc.search.tuning.name_words import PERCENT, SHARES, WEIGHTS, has_word, split_name
from evograft_ahc.search.tuning.numbers import FoundNumber
from evograft_ahc.search.tuning.parameter import ParameterRange

SPAN = 10.0
"""A real number may become so many times larger or smaller."""
INTEGER_SPAN = 4.0
"""Likewise an integer."""
NEAR_ONE = 0.9
"""From here on, what lies below 1 differs by its distance to 1, such as a rate of cooling."""
WHOLES = {"pct": 100, "percent": 100, "permille": 1000}
"""The largest of shares that are integers."""


def find_range(number: FoundNumber) -> ParameterRange:
    """Return the range around the value of a number, which is not 0; of a share it stays within 0 and 1."""
    value, words = number.literal.value, split_name(number.name)
    if value < 0:
        return ParameterRange(2 * value, 0.0)
    if number.literal.form.is_integer:
        whole = max((WHOLES[word] for word in words if PERCENT.fullmatch(word)), default=math.inf)
        highest = math.ceil(value * INTEGER_SPAN)
        return ParameterRange(
            max(1.0, value / INTEGER_SPAN), whole if value < whole < highest else highest, is_log=True
        )
    if NEAR_ONE <= value < 1 and not has_word(words, WEIGHTS):
        gap = 1 - value
        return ParameterRange(1 - min(SPAN * gap, 0.5), 1 - gap / SPAN, is_from_one=True)
    is_share = value < 1 and has_word(words, SHARES)
    return ParameterRange(value / SPAN, min(SPAN * value, 1.0) if is_share else SPAN * value, is_log=True)

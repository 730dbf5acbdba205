"""The number among an evaluator's metrics that counts, by the rule of its style."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from evograft_program.answers.results import COMBINED, is_number

SCORE = "score"


def find_mean_fitness(metrics: Mapping[object, object], features: Collection[str] = ()) -> float | None:
    """Return `combined_score`, else the mean of the numbers that are no feature dimensions; `None`: there is none."""
    if COMBINED in metrics:
        combined = find_float(metrics[COMBINED])
        if combined is not None:
            return combined
    numbers = {name: each for name, value in metrics.items() if (each := _find_number(value)) is not None}
    counted = [value for name, value in numbers.items() if name not in features] or list(numbers.values())
    return sum(counted) / len(counted) if counted else None


def find_named_fitness(metrics: Mapping[object, object]) -> float | None:
    """Return `combined_score` or `score`, else the only number; `None`: there is none, or nobody says which."""
    for name in (COMBINED, SCORE):
        if name in metrics and (value := find_float(metrics[name])) is not None:
            return value
    numbers = [to_float(value) for value in metrics.values() if is_number(value)]
    return numbers[0] if len(numbers) == 1 else None


def find_float(value: object) -> float | None:
    """Return what a score under its own name amounts to, also as a text or a bool."""
    if isinstance(value, int | float):
        return to_float(value)
    if not isinstance(value, str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _find_number(value: object) -> float | None:
    if not is_number(value):
        return None
    number = to_float(value)
    return None if math.isnan(number) else number


def to_float(value: object) -> float:
    """Return a number as a float; one that is too large for it is infinite."""
    assert isinstance(value, int | float)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf

"""The race against the incumbent: whether further repeats of a candidate are worth their time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, variance

ERROR_RATE = 0.05
"""The chance that a candidate as good as the incumbent is given up, over all looks of a race."""
FEWEST = 2
"""Repeats before the first look."""


def is_hopeless(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Return whether a candidate will hardly reach the incumbent, from scores of the same seeds.

    Races of configurations on the same instances, ended by a paired t-test, are those of F-Race and irace
    (López-Ibáñez et al. 2016). The few differences of a race may be equal by chance, so their variance is moderated as
    Smyth (2004) does it: the incumbent's own scores say what to expect, as one further degree of freedom. All looks
    share the error rate evenly (Bonferroni).

    Args:
        ours: the candidate's scores so far.
        theirs: the incumbent's scores of all seeds, in the same order.
    """
    count, looks = len(ours), len(theirs) - FEWEST
    if not FEWEST <= count < len(theirs):
        return False
    largest = max(map(abs, (*ours, *theirs))) or 1.0
    known = [score / largest for score in theirs]
    differences = [our / largest - their for our, their in zip(ours, known, strict=False)]
    if mean(differences) >= 0:
        return False
    expected = 2 * variance(known)
    moderated = ((count - 1) * variance(differences) + expected) / count
    if not moderated:
        return True  # no noise at all
    return find_lower_tail(mean(differences) / math.sqrt(moderated / count), count) < ERROR_RATE / looks


def find_lower_tail(t: float, freedom: int) -> float:
    """Return how probable a value at most `t` is in Student's distribution (Abramowitz and Stegun, 26.7.3 and 4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, is_odd = math.cos(angle), freedom % 2
    term = cosine if is_odd else 1.0
    terms = 0.0
    for power in range(2 + is_odd, freedom + 1, 2):
        terms += term
        term *= cosine**2 * (power - 1) / power
    between = math.sin(angle) * terms
    if is_odd:
        between = 2 / math.pi * (angle + between)
    return (1 + between) / 2

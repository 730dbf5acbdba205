"""Which numbers break a program whenever they change, found out from the candidates that were rejected."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

PROOFS = 3
"""How often a number has to be the only one that can have broken a candidate."""
MUCH_FARTHER = 2.0
MENTIONS = 2
"""How often it has to be among those that can, before fewer numbers are changed at once to find out."""


class JudgedPoint(Protocol):
    """A point and whether a program is one there."""

    @property
    def point(self) -> tuple[float, ...]:
        """A coordinate for each number; 0: it is as it was."""

    @property
    def score(self) -> float | None:
        """`None`: the candidate was rejected."""


def find_free(dimensions: int, judged: Sequence[JudgedPoint], rng: random.Random) -> frozenset[int]:
    """Return the places of the numbers that are to change in the next candidate.

    A number that was changed in a candidate with a score is innocent. Of those that never were, while candidates are
    rejected, some are left as they are, so that sooner or later one is found alone with its guilt. An innocent number
    can have broken a candidate, too, where it was moved much farther than it ever was with success.

    Args:
        dimensions: how many numbers there are.
        judged: all that is known.
        rng: draws which of the suspects change.
    """
    sound = [(0.0,) * dimensions, *(each.point for each in judged if each.score is not None)]
    reach = [max(map(abs, column)) for column in zip(*sound, strict=True)]
    unproven = frozenset(place for place, distance in enumerate(reach) if distance == 0)
    accused = [_far_out(each.point, reach) for each in judged if each.score is None]
    alone = Counter(place for group in accused if len(group) == 1 for place in group & unproven)
    mentioned = Counter(place for group in accused for place in group & unproven)
    guilty = {place for place, count in alone.items() if count >= PROOFS}
    suspects = sorted(place for place, count in mentioned.items() if count >= MENTIONS and place not in guilty)
    held = frozenset(suspects) - frozenset(_draw_few(suspects, rng))
    return frozenset(range(dimensions)) - guilty - held


def _draw_few(suspects: Sequence[int], rng: random.Random) -> Iterable[int]:
    """Draw one suspect, to prove it, or half of them, to clear many at once."""
    if not suspects:
        return ()
    return rng.sample(suspects, 1 if rng.random() < 1 / 2 else (len(suspects) + 1) // 2)


def _far_out(point: Sequence[float], reach: Sequence[float]) -> frozenset[int]:
    pairs = enumerate(zip(point, reach, strict=True))
    return frozenset(place for place, (coordinate, distance) in pairs if abs(coordinate) > MUCH_FARTHER * distance)

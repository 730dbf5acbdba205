"""Changes of numbers that ask no optimiser."""

from __future__ import annotations

import random

from evograft_ahc.search.tuning.optimiser import Point

NEAREST, FARTHEST = 0.01, 0.3
"""How far a number is moved, as a share of its range."""


def nudge(rng: random.Random, point: Point) -> Point:
    """Move one number, seldom more, mostly a little."""
    places = list(point)
    for place in rng.sample(range(len(places)), _few(rng, len(places))):
        distance = NEAREST * (FARTHEST / NEAREST) ** rng.random()
        places[place] = min(max(places[place] + rng.gauss(0, distance), 0.0), 1.0)
    return tuple(places)


def scatter(rng: random.Random, point: Point) -> Point:
    """Draw all numbers again."""
    return tuple(rng.random() for _ in point)


def _few(rng: random.Random, most: int) -> int:
    count = 1
    while count < most and rng.random() < 1 / 3:
        count += 1
    return count

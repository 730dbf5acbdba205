"""An optimiser without a state: what it knows is folded, each time it is asked, from what was found out so far.

CMA-ES with a small population draws points, and a Gaussian process over all that was tried picks the most promising.
The process makes it quick: within 200 evaluations CMA-ES alone loses to a (1+1)-ES.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from evograft_program.tuning.suspects import find_free

if TYPE_CHECKING:
    import numpy as np
    from cmaes import CMA

Point = tuple[float, ...]
"""A coordinate for each number; 0 is where the search began, 1 is the size of a first step."""

POPULATION = 4
DRAWN = 256
"""Points of CMA-ES, by which is known how far it looks in which direction."""
CANDIDATES = 48
"""Those of them among which one is picked."""
MOST_FITTED = 150
"""The newest points that the process is fitted to: the time that it takes grows with the cube of their number."""
CURIOSITY = 0.1
"""What a standard deviation of a prediction is worth next to the prediction: without it a search stays on a plateau."""
NOISE = 0.01
"""Of values that have a variance of 1."""
WIDER = 1.5
"""By how much a search looks farther after each generation whose points are all worth the same."""
CONVERGED = 0.01
"""Where all points of a generation lie nearer to one another than that, the search begins again at the best one."""
FEWEST = 2
"""Dimensions that CMA-ES can work in."""


@dataclass(frozen=True)
class TriedPoint:
    """A point, and what it is worth."""

    point: Point
    score: float | None
    """Higher is better; `None`: it was rejected. CMA-ES is not told of such a point, which says nothing about where
    better ones are; the process takes it for the worst, so that its neighbours are not picked for ever."""
    was_asked: bool = True
    """Whether it was an answer of `suggest_points`; others mislead the statistics of CMA-ES."""


def suggest_points(dimensions: int, tried: Sequence[TriedPoint], *, seed: int) -> Iterator[Point]:
    """Yield points to try next, without end, the preferred one first: a function of the arguments.

    Args:
        dimensions: how many numbers there are.
        tried: what is known, in the order in which it became known.
        seed: of what is drawn. With another seed the same `tried` gives another point, so several can be out at a time.
    """
    import numpy as np

    size = max(dimensions, FEWEST)
    known = [replace(each, point=(each.point + (0.0,) * FEWEST)[:size]) for each in tried]
    optimiser, best = _fold(size, known, seed)
    rng = random.Random(seed)
    while True:
        free = find_free(size, known, rng)
        drawn = np.array([optimiser.ask() for _ in range(DRAWN)])
        drawn[:, [place for place in range(size) if place not in free]] = 0.0
        yield from (tuple(map(float, point[:dimensions])) for point in _order(drawn, known))
        # All that is near was tried before: look farther, around the best.
        optimiser = _begin(best, rng.randrange(2**32))


def _fold(size: int, tried: Sequence[TriedPoint], seed: int) -> tuple[CMA, Point]:
    """Return CMA-ES as it is after all generations that are complete, and the best point."""
    import numpy as np

    best = TriedPoint((0.0,) * size, float("-inf"))
    optimiser = _begin(best.point, seed)
    generation: list[tuple[np.ndarray, float]] = []
    flat = 0
    for each in tried:
        if each.score is None:
            continue
        best = max(best, each, key=_worth)
        if each.was_asked:
            generation.append((np.array(each.point), -each.score))
        if len(generation) == POPULATION:
            flat = flat + 1 if len({loss for _, loss in generation}) == 1 else 0
            optimiser.tell(generation)
            if flat or np.ptp([point for point, _ in generation], axis=0).max() < CONVERGED:
                optimiser = _begin(best.point, seed, sigma=WIDER**flat)
            generation = []
    return optimiser, best.point


def _begin(mean: Point, seed: int, *, sigma: float = 1.0) -> CMA:
    import numpy as np
    from cmaes import CMA

    return CMA(mean=np.array(mean), sigma=sigma, seed=seed % 2**32, population_size=POPULATION)


def _order(drawn: np.ndarray, tried: Sequence[TriedPoint]) -> np.ndarray:
    """Return points, the one first for which a Gaussian process predicts the most; as drawn while little is known."""
    import numpy as np

    known, size = tried[-MOST_FITTED:], drawn.shape[1]
    candidates = drawn[:CANDIDATES]
    if sum(each.score is not None for each in known) < size // 2 + 2:
        return candidates
    # As far as CMA-ES looks in a direction, values have to do with one another.
    lengths = np.linalg.cholesky(2.0 * size * (np.cov(drawn.T) + CONVERGED**2 * np.eye(size)))
    points = np.linalg.solve(lengths, np.array([each.point for each in known]).T).T
    new = np.linalg.solve(lengths, candidates.T).T
    values = _normal_scores([_worth(each) for each in known])
    near, known_near = _kernel(new, points), _kernel(points, points) + NOISE * np.eye(len(points))
    expected = near @ np.linalg.solve(known_near, values - values.mean())
    variance = 1.0 - (near * np.linalg.solve(known_near, near.T).T).sum(axis=1)
    return candidates[np.argsort(-(expected + CURIOSITY * np.sqrt(np.maximum(variance, 0.0))), kind="stable")]


def _kernel(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    import numpy as np

    squares = ((one[:, None, :] - other[None, :, :]) ** 2).sum(axis=-1)
    return np.asarray(np.exp(-0.5 * squares))


def _normal_scores(worth: Sequence[float]) -> np.ndarray:
    """Return values of a normal distribution in the order of these: only ranks count, whatever scale scores have."""
    import numpy as np

    normal = NormalDist()
    ordered = np.sort(worth)
    first, last = (np.searchsorted(ordered, worth, side=side) for side in ("left", "right"))
    return np.array([normal.inv_cdf(place / (2 * len(worth))) for place in first + last])


def _worth(tried: TriedPoint) -> float:
    return float("-inf") if tried.score is None else tried.score

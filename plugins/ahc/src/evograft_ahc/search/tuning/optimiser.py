"""An optimiser without a state: what it knows is folded, each time it is asked, from what was found out so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from cmaes import CMA

Point = tuple[float, ...]
"""A place from 0 to 1 for each number."""

CONVERGED = 0.003
"""Where all points of a generation lie nearer to one another than that, the search begins again at the best one."""


@dataclass(frozen=True)
class Observation:
    """A point, and what it is worth."""

    point: Point
    score: float | None
    """Higher is better; `None`: it was rejected."""
    was_asked: bool = True
    """Whether it was an answer of `suggest_point`. Points that others found mislead its statistics: from the best of
    them it starts over, when it does."""


def suggest_point(begin: Point, tells: Sequence[Observation], *, seed: int, step: float) -> Point:
    """Return the point to try next: a function of its arguments.

    Args:
        begin: where the search begins.
        tells: what is known, in the order in which it came.
        seed: of what is drawn. With another seed the same `tells` give another point, so several can be out at a time.
        step: how far the first points spread around the beginning, as a share of the range.
    """
    import numpy as np

    optimiser = _new(begin, step, seed)
    best = Observation(begin, None)
    generation: list[Observation] = []
    for tell in tells:
        best = max(best, tell, key=_worth)
        if tell.was_asked:
            generation.append(tell)
        if len(generation) < optimiser.population_size:
            continue
        optimiser.tell(_ranked(generation))
        if _spread(generation) < CONVERGED:
            optimiser = _new(best.point, step, seed)
        generation = []
    # Cut off, not drawn again: the best values often lie at the ends of ranges.
    return tuple(float(place) for place in np.clip(optimiser.ask(), 0.0, 1.0))


def _new(begin: Point, step: float, seed: int) -> CMA:
    import numpy as np
    from cmaes import CMA

    return CMA(mean=np.array(begin), sigma=step, seed=seed % 2**32)


def _worth(tell: Observation) -> float:
    return float("-inf") if tell.score is None else tell.score


def _ranked(tells: Sequence[Observation]) -> list[tuple[np.ndarray, float]]:
    """Return points with losses: their ranks, which are all that counts, and which a rejected point has too."""
    import numpy as np

    ordered = sorted(tells, key=_worth, reverse=True)
    return [(np.array(tell.point), float(rank)) for rank, tell in enumerate(ordered)]


def _spread(tells: Sequence[Observation]) -> float:
    """Return the largest standard deviation of the points in any direction along the axes."""
    import numpy as np

    return float(np.array([tell.point for tell in tells]).std(axis=0).max())

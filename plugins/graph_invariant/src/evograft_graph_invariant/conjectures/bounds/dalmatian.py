"""The Dalmatian rule (Fajtlowicz, Graffiti): a bound is kept only if it is the best of all on some graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evograft_graph_invariant.conjectures.bounds.inequality import Inequality
from evograft_graph_invariant.graphs.features import Vector

BETTER = 1e-7
"""The amount by which a bound has to be better than the others."""


@dataclass(frozen=True)
class RankedBound:
    """A bound on the graphs of its hypothesis."""

    inequality: Inequality
    slack: Vector
    """On all graphs of the data; infinite on those without the properties of the hypothesis."""

    @cached_property
    def touches(self) -> int:
        """The touch number: the graphs on which the bound is sharp."""
        return int((self.slack == 0).sum())

    @cached_property
    def rank(self) -> tuple[int, int, str]:
        """Bounds that are sharp more often come first, short ones before long ones."""
        return -self.touches, self.inequality.complexity, self.inequality.statement


def select_bounds(
    candidates: Sequence[RankedBound], given: Vector, *, least_touches: int, most: int
) -> list[RankedBound]:
    """Return the bounds of one target and sense that are each sharper than all others somewhere.

    Half of them are taken in the order of their touch number, as in Graffiti. The others are those that are better than
    all before on the most graphs: a bound that is sharp on complete graphs only may still be the best on many.

    Args:
        candidates: valid on all graphs of the data.
        given: the least slack, on each graph, of bounds that are kept already.
        least_touches: graphs on which each has to be sharp, and on which it has to be better than those before it.
        most: how many are kept.
    """
    sharp = [each for each in sorted(candidates, key=lambda each: each.rank) if each.touches >= least_touches]
    kept: list[RankedBound] = []
    best = given
    for candidate in sharp:
        if len(kept) < (most + 1) // 2 and _count_better(candidate, best) >= least_touches:
            kept.append(candidate)
            best = np.minimum(best, candidate.slack)
    return _fill(kept, [each for each in sharp if each not in kept], given, least_touches=least_touches, most=most)


def _fill(
    kept: list[RankedBound], others: list[RankedBound], given: Vector, *, least_touches: int, most: int
) -> list[RankedBound]:
    """Add bounds that are better than all before on the most graphs, each time without what that makes superfluous."""
    kept = _drop_superseded(kept, given)
    while len(kept) < most and others:
        best = np.min([given, *(each.slack for each in kept)], axis=0)
        better = [_count_better(each, best) for each in others]
        place = int(np.argmax(better))
        if better[place] < least_touches:
            break
        kept = _drop_superseded([*kept, others.pop(place)], given)
    return kept


def _count_better(candidate: RankedBound, best: Vector) -> int:
    return int((candidate.slack < best - BETTER).sum())


def _drop_superseded(kept: list[RankedBound], given: Vector) -> list[RankedBound]:
    """Drop what bounds kept later have made superfluous, the least often sharp first."""
    left = kept.copy()
    for candidate in reversed(kept):
        others = np.min([given, *(each.slack for each in left if each is not candidate)], axis=0)
        if not (candidate.slack < others - BETTER).any():
            left.remove(candidate)
    return left

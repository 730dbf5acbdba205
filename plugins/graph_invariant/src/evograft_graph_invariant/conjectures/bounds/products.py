"""Nonlinear bounds: one of thousands of products and quotients, times a small rational number, plus a whole one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.fitting import (
    CONSTANT_DENOMINATOR,
    LARGEST_COEFFICIENT,
    find_rationals,
)
from evograft_graph_invariant.conjectures.bounds.inequality import TOLERANCE, Inequality, Sense, sort_terms
from evograft_graph_invariant.conjectures.bounds.terms import ONE, compute_term, list_invariants
from evograft_graph_invariant.graphs.features import Matrix, Vector

SHIFTS = (0, 1, -1)
"""Constants that are tried next to a product."""
BEST = 50
"""Bounds of one target and sense that are handed on: as many that are sharp most often, and the tightest ones."""


class ProductSearch:
    """All nonlinear terms of some invariants, with their values on the graphs of the data."""

    def __init__(self, names: Sequence[str], columns: Mapping[str, Vector]) -> None:
        self.columns = columns
        texts = list(dict.fromkeys(write_products(names)))
        values = np.array([compute_term(text, columns) for text in texts])
        sound = np.isfinite(values).all(axis=1) & (values > 0).all(axis=1)
        self.texts = [text for text, is_sound in zip(texts, sound, strict=True) if is_sound]
        self.values: Matrix = values[sound]
        self.members = [list_invariants(text) for text in self.texts]

    def find_bounds(self, target: str, sense: Sense) -> Iterator[Inequality]:
        """Yield bounds that hold on all graphs and are sharp most often or tight in the mean."""
        y = self.columns[target]
        usable = np.array([target not in members for members in self.members])
        found: list[tuple[int, float, int, int]] = []
        for shift in SHIFTS:
            ratios = (y - shift) / self.values
            factors = ratios.max(axis=1) if sense == "<=" else ratios.min(axis=1)
            exact = usable & find_rationals(factors, CONSTANT_DENOMINATOR)
            exact &= (factors > 0) & (factors <= LARGEST_COEFFICIENT)
            touches = self._count_touches(factors, y - shift, exact)
            for place in np.flatnonzero(exact & (touches < len(y))).tolist():
                looseness = abs(float((self.values[place] * factors[place] + shift - y).mean()))
                found.append((int(touches[place]), looseness, shift, place))
        often = sorted(found, key=lambda each: (-each[0], len(self.texts[each[3]]), each[2:]))[:BEST]
        tight = sorted(found, key=lambda each: (each[1], len(self.texts[each[3]]), each[2:]))[:BEST]
        for _, _, shift, place in dict.fromkeys(often + tight):
            yield self._write(target, sense, place, shift)

    def _count_touches(self, factors: Vector, rest: Vector, exact: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        touches = np.zeros(len(factors), dtype=np.int64)
        close = TOLERANCE * np.maximum(1.0, np.abs(rest))
        touches[exact] = (np.abs(self.values[exact] * factors[exact, None] - rest) <= close).sum(axis=1)
        return touches

    def _write(self, target: str, sense: Sense, place: int, shift: int) -> Inequality:
        ratios = (self.columns[target] - shift) / self.values[place]
        factor = Fraction(float(ratios.max() if sense == "<=" else ratios.min())).limit_denominator(
            CONSTANT_DENOMINATOR
        )
        return Inequality(target, sense, sort_terms({self.texts[place]: factor, ONE: Fraction(shift)}))


def write_products(names: Sequence[str]) -> Iterator[str]:
    """Yield the texts of all terms, short ones first."""
    for p in names:
        yield f"sqrt({p})"
        yield f"{p} ** 2"
    for p, q in permutations(names, 2):
        yield f"{p} / {q}"
        yield f"{p} / ({q} + 1)"
    for p, q in combinations_with_replacement(names, 2):
        if p != q:
            yield f"{p} * {q}"
            yield f"sqrt({p} * {q})"
        if "n" in names:
            yield f"{p} * {q} / n"
            yield f"{p} * {q} / (n - 1)"

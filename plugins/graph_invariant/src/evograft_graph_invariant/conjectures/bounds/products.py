"""Nonlinear bounds: one of thousands of products and quotients, times a small rational number, plus another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.fitting import (
    CONSTANT_DENOMINATOR,
    LARGEST_COEFFICIENT,
    LARGEST_CONSTANT,
    find_rationals,
)
from evograft_graph_invariant.conjectures.bounds.inequality import TOLERANCE, Inequality, Sense, sort_terms
from evograft_graph_invariant.conjectures.bounds.terms import ONE, compute_term, list_invariants
from evograft_graph_invariant.graphs.features import Matrix, Vector

SHIFTS = (0, 1, -1)
"""Constants that are tried next to a product with the best factor."""
FACTORS = (0.5, 1.0, 2.0)
"""Factors of a product that are tried with the best constant."""
BEST = 50
"""Bounds of one target and sense that are handed on: as many that are sharp most often, and the tightest ones."""


@dataclass(frozen=True)
class ProductBounds:
    """Terms with their numbers, on the graphs of the data; one entry of each array a bound."""

    places: npt.NDArray[np.intp]
    """Of the terms."""
    factors: Vector
    shifts: Vector
    touches: npt.NDArray[np.intp]
    looseness: Vector
    """The mean slack."""

    def sort(self, first: npt.NDArray[np.generic], lengths: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the entries in the order of an array, those of short terms first where it is equal."""
        ties = (self.shifts, self.factors, self.places, self.looseness, self.touches, lengths[self.places])
        return np.lexsort((*ties, first))


class ProductSearch:
    """All nonlinear terms of some invariants, with their values on the graphs of the data."""

    def __init__(self, names: Sequence[str], columns: Mapping[str, Vector]) -> None:
        self.columns = columns
        texts = list(dict.fromkeys(write_products(names)))
        values = np.array([compute_term(text, columns) for text in texts])
        sound = np.isfinite(values).all(axis=1) & (values > 0).all(axis=1)
        self.texts = [text for text, is_sound in zip(texts, sound, strict=True) if is_sound]
        self.values: Matrix = values[sound]
        self.lengths = np.array(list(map(len, self.texts)), dtype=np.intp)
        self.members = [list_invariants(text) for text in self.texts]

    def find_bounds(self, target: str, sense: Sense) -> Iterator[Inequality]:
        """Yield bounds that hold on all graphs and are sharp most often or tight in the mean."""
        y = self.columns[target]
        usable = np.array([target not in members for members in self.members], dtype=bool)
        parts = [self._measure(y, *numbers, usable) for numbers in self._fit_numbers(y, sense)]
        found = ProductBounds(*map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True)))
        often = found.sort(-found.touches, self.lengths)[:BEST]
        tight = found.sort(found.looseness, self.lengths)[:BEST]
        for entry in dict.fromkeys([*often.tolist(), *tight.tolist()]):
            factor, shift = (
                Fraction(float(numbers[entry])).limit_denominator(CONSTANT_DENOMINATOR)
                for numbers in (found.factors, found.shifts)
            )
            terms = {self.texts[found.places[entry]]: factor, ONE: shift}
            yield Inequality(target, sense, sort_terms(terms))

    def _fit_numbers(self, y: Vector, sense: Sense) -> Iterator[tuple[Vector, Vector]]:
        """Yield a factor and a constant for each term: one of both is given, the other the best with which it holds."""
        for shift in SHIFTS:
            ratios = (y - shift) / self.values
            yield ratios.max(axis=1) if sense == "<=" else ratios.min(axis=1), np.full(len(self.texts), float(shift))
        for factor in FACTORS:
            rests = y - factor * self.values
            yield np.full(len(self.texts), factor), rests.max(axis=1) if sense == "<=" else rests.min(axis=1)

    def _measure(self, y: Vector, factors: Vector, shifts: Vector, usable: npt.NDArray[np.bool_]) -> ProductBounds:
        """Return the bounds whose numbers are small and rational, and that are no identities."""
        exact = usable & find_rationals(factors, CONSTANT_DENOMINATOR)
        exact &= (factors > 0) & (factors <= LARGEST_COEFFICIENT)
        exact &= find_rationals(shifts, CONSTANT_DENOMINATOR) & (np.abs(shifts) <= LARGEST_CONSTANT)
        places = np.flatnonzero(exact)
        gaps = np.abs(self.values[places] * factors[places, None] + shifts[places, None] - y)
        touches = (gaps <= TOLERANCE * np.maximum(1.0, np.abs(y))).sum(axis=1)
        bounds = touches < len(y)
        places = places[bounds]
        return ProductBounds(places, factors[places], shifts[places], touches[bounds], gaps.mean(axis=1)[bounds])


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
            if "n" not in {p, q}:
                yield f"{p} * {q} / n"
            yield f"{p} * {q} / (n - 1)"

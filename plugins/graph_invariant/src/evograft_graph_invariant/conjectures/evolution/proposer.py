"""Candidates without a model: linear programs over drawn terms, and the search among products."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.fitting import fit_upper_bounds
from evograft_graph_invariant.conjectures.bounds.inequality import Inequality, Sense, find_violated, sort_terms
from evograft_graph_invariant.conjectures.bounds.products import ProductSearch, write_products
from evograft_graph_invariant.conjectures.bounds.terms import ONE, compute_term
from evograft_graph_invariant.conjectures.evolution.options import InequalityOptions
from evograft_graph_invariant.conjectures.pools.enumeration import ATLAS_ORDER, CONNECTED
from evograft_graph_invariant.conjectures.table import InvariantTable

ATTEMPTS = 12
"""Choices of terms that are tried for a candidate."""
ROUNDS = 6
"""Times that a bound is fitted again with graphs that violate it."""
FED_BACK = 3
"""Graphs that are added each time, the smallest ones."""
PRODUCT_SHARE = 0.3
"""The share of drawn terms that are products, quotients or roots."""
MOST_TERMS = 3
PRODUCT_NAMES = 6
"""Invariants that one search among products combines."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class BoundShape:
    """A bound before its coefficients are fitted."""

    sense: Sense
    terms: tuple[str, ...]
    hypothesis: tuple[str, ...]


@dataclass(frozen=True)
class BoundProposer:
    """The proposer of one target.

    Args:
        table: of graphs that bounds are fitted to and have to hold on.
        options: of the run.
    """

    table: InvariantTable
    options: InequalityOptions

    def fit_linear(
        self, rng: random.Random, parents: Sequence[Inequality], known: frozenset[Inequality]
    ) -> Inequality | None:
        """Return a bound whose terms are drawn, or a parent's with one change, and whose coefficients fit best."""
        for _ in range(ATTEMPTS):
            shape = self._vary(rng, parents) if parents else self._draw(rng)
            for found in self._fit(shape):
                if found not in known:
                    return found
        return None

    def find_product(
        self, rng: random.Random, parents: Sequence[Inequality], known: frozenset[Inequality]
    ) -> Inequality | None:
        """Return the best new bound by a product, quotient or root of a few invariants."""
        for _ in range(ATTEMPTS):
            shape = self._vary(rng, parents) if parents else self._draw(rng)
            rows = self._find_data(shape.hypothesis)
            if not rows.any():
                continue
            columns = {name: values[rows] for name, values in self.table.columns.items()}
            for bound in ProductSearch(self._draw_names(rng, parents), columns).find_bounds(
                self.options.target, shape.sense
            ):
                found = Inequality(bound.target, bound.sense, bound.terms, shape.hypothesis)
                if found not in known and self._is_acceptable(found):
                    return found
        return None

    def _draw(self, rng: random.Random) -> BoundShape:
        terms = tuple(self._draw_term(rng) for _ in range(rng.randint(1, 2)))
        return BoundShape(rng.choice(self.options.senses), terms, self._draw_hypothesis(rng))

    def _vary(self, rng: random.Random, parents: Sequence[Inequality]) -> BoundShape:
        """Return a parent's shape with one term or the hypothesis changed, from the terms of all parents."""
        first = parents[0]
        terms = [term for parent in parents for term, _ in parent.terms if term != ONE]
        change = rng.choice(("replace", "add", "drop", "suppose") if self.options.properties else ("replace", "add"))
        if change == "suppose":
            return BoundShape(first.sense, tuple(terms[:MOST_TERMS]), self._draw_hypothesis(rng))
        if change in {"replace", "drop"} and terms:
            terms.pop(rng.randrange(len(terms)))
        if change in {"replace", "add"} or not terms:
            terms.append(self._draw_term(rng))
        rng.shuffle(terms)
        return BoundShape(first.sense, tuple(dict.fromkeys(terms))[:MOST_TERMS], first.hypothesis)

    def _draw_term(self, rng: random.Random) -> str:
        names = self.options.regressors
        if rng.random() >= PRODUCT_SHARE:
            return rng.choice(names)
        return rng.choice(list(write_products(rng.sample(names, min(2, len(names))))))

    def _draw_names(self, rng: random.Random, parents: Sequence[Inequality]) -> tuple[str, ...]:
        inherited = sorted({name for parent in parents for name in parent.invariants} - {self.options.target})
        drawn = rng.sample(self.options.regressors, len(self.options.regressors))
        return tuple(dict.fromkeys([*inherited[: PRODUCT_NAMES // 2], *drawn]))[:PRODUCT_NAMES]

    def _draw_hypothesis(self, rng: random.Random) -> tuple[str, ...]:
        return (rng.choice(self.options.properties),) if self.options.properties and rng.random() < 1 / 2 else ()

    def _find_data(self, hypothesis: tuple[str, ...]) -> Flags:
        """Return the graphs that a bound is fitted to at first."""
        small = (self.table.kinds == CONNECTED) & (self.table.columns["n"] <= ATLAS_ORDER)
        rows: Flags = small & self.table.find_rows(hypothesis)
        return rows

    def _fit(self, shape: BoundShape) -> Iterator[Inequality]:
        """Yield bounds that hold on the table: what violates one is added to the data, and it is fitted again."""
        usable = self.table.find_rows(shape.hypothesis)
        rows = self._find_data(shape.hypothesis)
        columns = np.column_stack([compute_term(term, self.table.columns) for term in shape.terms])
        if not rows.any() or not np.isfinite(columns[usable]).all():
            return
        for _ in range(ROUNDS):
            fitted = list(self._solve(shape, columns[rows], rows))
            wrong: Flags = np.zeros(len(self.table), dtype=bool)
            for bound in fitted:
                violated = find_violated(bound.compute_slack(self.table.columns)) & usable
                wrong[np.flatnonzero(violated)[:FED_BACK]] = True
                if not violated.any() and self._is_acceptable(bound):
                    yield bound
            if not wrong.any():
                return
            rows = rows | wrong

    def _solve(self, shape: BoundShape, x: npt.NDArray[np.float64], rows: Flags) -> Iterator[Inequality]:
        sign = 1 if shape.sense == "<=" else -1
        for numbers, constant in fit_upper_bounds(x, sign * self.table.columns[self.options.target][rows]):
            terms: dict[str, Fraction] = {
                term: sign * number for term, number in zip(shape.terms, numbers, strict=True)
            }
            yield Inequality(
                self.options.target, shape.sense, sort_terms({**terms, ONE: sign * constant}), shape.hypothesis
            )

    def _is_acceptable(self, bound: Inequality) -> bool:
        """Return whether a bound holds on the table, is no identity there, and is short enough."""
        rows = self.table.find_rows(bound.hypothesis)
        slack = bound.compute_slack(self.table.columns)[rows]
        holds = np.isfinite(slack).all() and not find_violated(slack).any()
        return bool(holds and (slack > 0).any()) and bound.complexity <= self.options.max_complexity

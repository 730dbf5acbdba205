"""Everything that may stand at one place of a formula."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from evograft_graph_invariant.formulas.interpreter import FUNCTIONS
from evograft_graph_invariant.formulas.parser import Expr, make_column
from evograft_graph_invariant.scoring.correlation import Vector
from evograft_graph_invariant.search.building_blocks import JOINT_NODES, OPERATORS, BuildingBlocks, Fragments
from evograft_graph_invariant.search.least_squares import Slope
from evograft_graph_invariant.search.trees import (
    Path,
    make_constant,
    make_operation,
    round_to_digits,
    tidy,
    walk,
)
from evograft_graph_invariant.search.values import compute_values

Parts = Iterator[tuple[Expr, Vector]]

POWERS = (0.25, 0.33, 0.5, 0.67, 0.75, 1.5, 2.0, 3.0, -0.5, -1.0, -2.0)
SHIFTS = (-3.0, -1.0, -0.3, -0.1, 0.1, 0.3, 1.0, 3.0)
"""The amount that is added to a part, in its standard deviations."""
FACTORS = (0.1, 0.3, 0.5, 2.0, 3.0, 10.0)
CALLED = ("math.log", "math.exp", "abs")
DIGITS = 3
SIZED_NODES = JOINT_NODES + 3
"""The nodes of a term with a number in front, in addition to its own."""


def open_places(expr: Expr) -> list[tuple[Path, Expr]]:
    """Where something else may stand: everywhere but in place of a number."""
    return [(path, part) for path, part in walk(expr) if part.operation != "constant"]


class Replacements:
    """Replacements of a part: atoms, the part joined with them, its own parts, and those of others."""

    def __init__(self, blocks: BuildingBlocks, columns: Mapping[str, Vector], called: tuple[str, ...] = CALLED) -> None:
        self.blocks = blocks
        self.columns = columns
        self.called = called
        self.factors = Fragments.of(
            ((make_column(name), row) for name, row in columns.items() if row.min() > 0), blocks.graphs
        )

    def find(
        self, rng: random.Random, part: Expr, others: tuple[Expr, ...], slope: Slope | None, *, count: int, most: int
    ) -> Fragments:
        """Find at most the given number of fragments, none with more nodes than `most`; random pairs fill up the rest.

        Args:
            rng: every random choice is made by it.
            part: what stands there now.
            others: formulas whose parts may be used.
            slope: how the whole changes with the part; `None`: nothing is joined by least squares.
            count: how many.
            most: the largest.
        """
        with np.errstate(all="ignore"):
            values = self._values(part)
            near = [*self._atoms(part, values, most), *self._changed(part, values), *self._parts(part, values, others)]
            fitted = [*self._fitted(rng, part, values, slope, pairs=count // 8, most=most)] if slope else []
        found = self._fitting(fitted, most).sample(rng, count // 2)
        found += self._fitting(near, most).sample(rng, count - len(found))
        return found + self.blocks.pairs(rng, count - len(found), most=most)

    def _fitting(self, fragments: Iterable[tuple[Expr, Vector]], most: int) -> Fragments:
        return Fragments.of(((expr, row) for expr, row in fragments if expr.nodes <= most), self.blocks.graphs)

    def _fitted(self, rng: random.Random, part: Expr, values: Vector, slope: Slope, *, pairs: int, most: int) -> Parts:
        """Add as much of an atom or a pair, or multiply by such a power of a column, as brings the whole close."""
        terms = self.blocks.atoms + self.blocks.pairs(rng, pairs, most=most - part.nodes - SIZED_NODES)
        for term, row, amount in zip(terms.exprs, terms.rows, _neat(slope.amounts(terms.rows)), strict=True):
            if amount:
                size = make_constant(abs(amount))
                yield (
                    make_operation("+" if amount > 0 else "-", part, tidy(make_operation("*", size, term))),
                    values + amount * row,
                )
        powers = slope.amounts(values * np.log(self.factors.rows))
        for factor, row, exponent in zip(self.factors.exprs, self.factors.rows, _neat(powers), strict=True):
            if exponent:
                size = make_constant(abs(exponent))
                yield (
                    make_operation("*" if exponent > 0 else "/", part, make_operation("**", factor, size)),
                    values * row**exponent,
                )

    def _values(self, part: Expr) -> Vector:
        values: Vector = np.broadcast_to(compute_values(part, self.columns), (self.blocks.graphs,))
        return values

    def _atoms(self, part: Expr, values: Vector, most: int) -> Parts:
        atoms = self.blocks.atoms
        for atom, row in zip(atoms.exprs, atoms.rows, strict=True):
            yield atom, row
            if part.nodes + atom.nodes + JOINT_NODES <= most:
                yield from _joined(part, values, atom, row)

    def _changed(self, part: Expr, values: Vector) -> Parts:
        for name in self.called:
            yield make_operation(name, part), FUNCTIONS[name](values)
        for exponent in POWERS:
            yield make_operation("**", part, make_constant(exponent)), FUNCTIONS["**"](values, exponent)
        spread = float(values.std())
        for shift in (round_to_digits(factor * spread, 2) for factor in SHIFTS if 0 < spread < np.inf):
            yield tidy(make_operation("+", part, make_constant(shift))), values + shift
        for factor in FACTORS:
            yield tidy(make_operation("*", make_constant(factor), part)), values * factor

    def _parts(self, part: Expr, values: Vector, others: tuple[Expr, ...]) -> Parts:
        for _, own in walk(part):
            if own.operation != "constant":
                yield own, self._values(own)
        for other in others:
            for _, foreign in walk(other):
                if foreign.operation != "constant":
                    row = self._values(foreign)
                    yield foreign, row
                    yield from _joined(part, values, foreign, row)


def _neat(amounts: Vector) -> list[float]:
    """With as many digits as fitted numbers have; 0 for what is none."""
    return [round_to_digits(amount, DIGITS) if np.isfinite(amount) else 0.0 for amount in amounts.tolist()]


def _joined(part: Expr, values: Vector, other: Expr, row: Vector) -> Parts:
    for operator in OPERATORS:
        yield make_operation(operator, part, other), FUNCTIONS[operator](values, row)
    for operator in ("-", "/"):
        yield make_operation(operator, other, part), FUNCTIONS[operator](row, values)

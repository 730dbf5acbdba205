"""An inequality: an invariant on one side, a sum of terms on the other, and what is supposed of the graph."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.bounds.terms import (
    ONE,
    compute_term,
    count_symbols,
    list_invariants,
    parse_term,
    split_sum,
)
from evograft_graph_invariant.conjectures.invariants.catalogue import INVARIANT_NAMES, PROPERTY_NAMES
from evograft_graph_invariant.graphs.features import Vector

Sense = Literal["<=", ">="]

TOLERANCE = 1e-8
"""Slack of this size, relative to the target where that is above 1, is rounding: eigenvalues are not exact."""

_STATEMENT = re.compile(r"\s*(\w+)\s*(<=|>=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True)
class Inequality:
    """`target <= sum` or `target >= sum`, for every connected graph with the properties of the hypothesis."""

    target: str
    sense: Sense
    terms: tuple[tuple[str, Fraction], ...]
    """Each term once, with its coefficient; the constant is that of the term `1`, and last."""
    hypothesis: tuple[str, ...] = ()

    @classmethod
    def parse(cls, statement: str, hypothesis: tuple[str, ...] = ()) -> Self:
        """Read `target <= formula`.

        Raises:
            ValueError: it is no such statement, or names an unknown invariant or property.
        """
        match = _STATEMENT.fullmatch(statement)
        if match is None or match[1] not in INVARIANT_NAMES:
            raise ValueError(f"{statement!r} is not of the form `invariant <= formula` or `invariant >= formula`")
        unknown = set(hypothesis) - set(PROPERTY_NAMES)
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not a property; there are {', '.join(PROPERTY_NAMES)}")
        sense: Sense = "<=" if match[2] == "<=" else ">="
        return cls(match[1], sense, sort_terms(split_sum(match[3])), tuple(sorted(hypothesis)))

    @property
    def invariants(self) -> frozenset[str]:
        return frozenset({self.target}).union(*(list_invariants(term) for term, _ in self.terms))

    @property
    def complexity(self) -> int:
        """Symbols of the terms and digits of the coefficients, more for a hypothesis."""
        sizes = (count_symbols(term) + _count_digits(number) for term, number in self.terms)
        return sum(sizes) + 3 * len(self.hypothesis)

    @property
    def formula(self) -> str:
        """The right-hand side, as `parse` reads it."""
        parts = [_write_product(term, number) for term, number in self.terms] or ["0"]
        return " + ".join(parts).replace("+ -", "- ")

    @property
    def statement(self) -> str:
        return f"{self.target} {self.sense} {self.formula}"

    def compute_bound(self, columns: Mapping[str, Vector]) -> Vector:
        """Return the right-hand side on each graph."""
        total = np.zeros(len(columns[self.target]))
        for term, number in self.terms:
            total = total + float(number) * compute_term(term, columns)
        return total

    def compute_slack(self, columns: Mapping[str, Vector]) -> Vector:
        """Return how far the target is from the bound; negative where it is violated, 0 where the bound is sharp."""
        difference = self.compute_bound(columns) - columns[self.target]
        slack = difference if self.sense == "<=" else -difference
        rounding = TOLERANCE * np.maximum(1.0, np.abs(columns[self.target]))
        return np.where(np.abs(slack) <= rounding, 0.0, slack)


def _count_digits(number: Fraction) -> int:
    return sum(len(str(part)) for part in (abs(number.numerator), number.denominator) if part != 1)


def find_violated(slack: Vector) -> npt.NDArray[np.bool_]:
    """Return where an inequality is violated or says nothing, because its bound has no finite value."""
    return ~(slack >= 0)


def sort_terms(terms: Mapping[str, Fraction]) -> tuple[tuple[str, Fraction], ...]:
    """Return terms in the order of an inequality: positive ones first, the constant last."""
    kept = [(term, number) for term, number in terms.items() if number]
    return tuple(sorted(kept, key=lambda item: (item[0] == ONE, item[1] < 0, item[0])))


def _write_product(term: str, number: Fraction) -> str:
    if term == ONE:
        return str(number)
    tree = parse_term(term)
    factor = f"({term})" if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)) else term
    sign, top, bottom = "-" if number < 0 else "", abs(number.numerator), number.denominator
    product = factor if top == 1 else f"{top} * {factor}"
    return f"{sign}{product}" + (f" / {bottom}" if bottom > 1 else "")

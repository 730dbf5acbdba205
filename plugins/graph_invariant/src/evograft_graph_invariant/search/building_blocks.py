"""The building blocks of formulas: columns and simple functions of them, with their values, and pairs of these."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.formulas.interpreter import FUNCTIONS
from evograft_graph_invariant.formulas.parser import Expr, make_column
from evograft_graph_invariant.scoring.correlation import Matrix, Vector
from evograft_graph_invariant.search.trees import make_constant, make_operation
from evograft_graph_invariant.search.values import compute_values

Counts = npt.NDArray[np.intp]

EXPONENTS = (0.5, 2.0, -1.0, -0.5)
OPERATORS = ("+", "-", "*", "/")
JOINT_NODES = 2


@dataclass(frozen=True)
class Fragments:
    """Formulas in a row, and their values: one row each."""

    exprs: list[Expr]
    rows: Matrix
    nodes: Counts

    def __len__(self) -> int:
        return len(self.exprs)

    @classmethod
    def of(cls, fragments: Iterable[tuple[Expr, Vector]], graphs: int) -> Fragments:
        exprs, rows = [], []
        for expr, row in fragments:
            exprs.append(expr)
            rows.append(row)
        nodes = np.array([expr.nodes for expr in exprs], dtype=np.intp)
        return cls(exprs, np.array(rows) if rows else np.empty((0, graphs)), nodes)

    def __add__(self, other: Fragments) -> Fragments:
        return Fragments(
            self.exprs + other.exprs,
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.nodes, other.nodes]),
        )

    def sample(self, rng: random.Random, count: int) -> Fragments:
        """Draw the given number of them at random, in their order."""
        if len(self) <= count:
            return self
        chosen = sorted(rng.sample(range(len(self)), count))
        return Fragments([self.exprs[i] for i in chosen], self.rows[chosen], self.nodes[chosen])


class BuildingBlocks:
    """The atoms of a set of columns."""

    def __init__(self, columns: Mapping[str, Vector]) -> None:
        with np.errstate(all="ignore"):
            atoms = [(expr, compute_values(expr, columns)) for name in columns for expr in _atoms(make_column(name))]
        self.graphs = len(next(iter(columns.values())))
        self.atoms = Fragments.of(
            ((expr, row) for expr, row in atoms if np.isfinite(row).all() and row.min() < row.max()), self.graphs
        )

    def pairs(self, rng: random.Random, count: int, *, most: int) -> Fragments:
        """Draw at most the given number of random pairs of atoms, none with more nodes than `most`."""
        atoms = self.atoms
        fitting = np.flatnonzero(atoms.nodes <= most - JOINT_NODES - atoms.nodes.min(initial=1))
        if count <= 0 or not len(fitting):
            return Fragments.of((), self.graphs)
        dice = np.random.default_rng(rng.getrandbits(64))
        first, second = fitting[dice.integers(len(fitting), size=(2, count))]
        kinds = dice.integers(len(OPERATORS), size=count)
        nodes = atoms.nodes[first] + atoms.nodes[second] + JOINT_NODES
        kept = (nodes <= most) & (first != second)
        first, second, kinds = first[kept], second[kept], kinds[kept]
        rows = np.empty((len(first), self.graphs))
        with np.errstate(all="ignore"):
            for kind, operator in enumerate(OPERATORS):
                here = kinds == kind
                rows[here] = FUNCTIONS[operator](atoms.rows[first[here]], atoms.rows[second[here]])
        drawn = zip(kinds.tolist(), first.tolist(), second.tolist(), strict=True)
        exprs = [make_operation(OPERATORS[kind], atoms.exprs[a], atoms.exprs[b]) for kind, a, b in drawn]
        return Fragments(exprs, rows, nodes[kept])


def _atoms(plain: Expr) -> tuple[Expr, ...]:
    return (
        plain,
        *(make_operation("**", plain, make_constant(exponent)) for exponent in EXPONENTS),
        make_operation("math.log", plain),
        make_operation("-", make_constant(1.0), plain),
    )

"""What may be put into a formula: columns and simple functions of them, with their values, and pairs of these."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.formulas.interpreter import FUNCTIONS
from evograft_graph_invariant.formulas.parser import Step
from evograft_graph_invariant.scoring.correlation import Matrix, Vector
from evograft_graph_invariant.search.trees import apply, column, constant
from evograft_graph_invariant.search.values import value

Counts = npt.NDArray[np.intp]

EXPONENTS = (0.5, 2.0, -1.0, -0.5)
OPERATORS = ("+", "-", "*", "/")
JOINT_NODES = 2


@dataclass(frozen=True)
class Pieces:
    """Formulas in a row, and their values: one row each."""

    steps: list[Step]
    rows: Matrix
    nodes: Counts

    def __len__(self) -> int:
        return len(self.steps)

    @classmethod
    def of(cls, pieces: Iterable[tuple[Step, Vector]], graphs: int) -> Pieces:
        steps, rows = [], []
        for step, row in pieces:
            steps.append(step)
            rows.append(row)
        nodes = np.array([step.nodes for step in steps], dtype=np.intp)
        return cls(steps, np.array(rows) if rows else np.empty((0, graphs)), nodes)

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces(
            self.steps + other.steps,
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.nodes, other.nodes]),
        )

    def sample(self, rng: random.Random, count: int) -> Pieces:
        """So many of them at random, in their order."""
        if len(self) <= count:
            return self
        chosen = sorted(rng.sample(range(len(self)), count))
        return Pieces([self.steps[i] for i in chosen], self.rows[chosen], self.nodes[chosen])


class Stock:
    """The atoms of a set of columns."""

    def __init__(self, columns: Mapping[str, Vector]) -> None:
        with np.errstate(all="ignore"):
            atoms = [(step, value(step, columns)) for name in columns for step in _atoms(column(name))]
        self.graphs = len(next(iter(columns.values())))
        self.atoms = Pieces.of(
            ((step, row) for step, row in atoms if np.isfinite(row).all() and row.min() < row.max()), self.graphs
        )

    def pairs(self, rng: random.Random, count: int, *, most: int) -> Pieces:
        """At most so many random pairs of atoms, none with more nodes than `most`."""
        atoms = self.atoms
        fitting = np.flatnonzero(atoms.nodes <= most - JOINT_NODES - atoms.nodes.min(initial=1))
        if count <= 0 or not len(fitting):
            return Pieces.of((), self.graphs)
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
        steps = [apply(OPERATORS[kind], atoms.steps[a], atoms.steps[b]) for kind, a, b in drawn]
        return Pieces(steps, rows, nodes[kept])


def _atoms(plain: Step) -> tuple[Step, ...]:
    return (
        plain,
        *(apply("**", plain, constant(exponent)) for exponent in EXPONENTS),
        apply("math.log", plain),
        apply("-", constant(1.0), plain),
    )

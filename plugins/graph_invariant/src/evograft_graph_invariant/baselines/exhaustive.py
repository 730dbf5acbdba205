"""Every expression of two or three columns: what a search with no idea finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from evograft_graph_invariant.scoring.correlation import Matrix, Vector, rank_profile, rank_profiles, untied_profile

PAIRS: dict[str, Callable[[Iterable[str], int], Iterable[tuple[str, ...]]]] = {
    "+": combinations,
    "-": combinations,
    "*": combinations,
    "/": permutations,
}
"""The operators that join two columns; a difference the other way round has the same |ρ|."""

THIRDS: dict[str, tuple[str, ...]] = {
    "+": ("+", "-", "*", "/", "\\"),
    "-": ("*", "/", "\\"),
    "*": ("+", "-", "*", "/", "\\"),
    "/": ("+", "-"),
}
"""The ways in which a third column joins each pair; those left out are others written differently. A backslash divides
the third by the pair."""

_OPERATIONS: dict[str, Callable[[Matrix, Matrix], Matrix]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "\\": lambda pair, third: np.divide(third, pair),
}


@dataclass(frozen=True)
class BestExpression:
    """The expression with the largest |ρ|."""

    expression: str
    rho: float
    """Signed."""
    tried: int
    """Expressions that were looked at."""


def search_exhaustively(columns: Mapping[str, Vector], target: Vector) -> BestExpression:
    """Scores all of them on all graphs; one that has no finite value somewhere is passed over."""
    profile = rank_profile(target)
    best = BestExpression("", 0.0, 0)
    tried = 0
    with np.errstate(all="ignore"):
        for batch in _batches(columns):
            tried += len(batch.rows)
            rho = _correlations(batch.rows, profile)
            place = int(np.abs(rho).argmax())
            if abs(rho[place]) > abs(best.rho):
                best = BestExpression(batch.expressions(place), float(rho[place]), tried)
    return BestExpression(best.expression, best.rho, tried)


@dataclass(frozen=True)
class _Batch:
    """Expressions that differ in their pair only."""

    operator: str
    pairs: list[tuple[str, ...]]
    rows: Matrix
    join: str = ""
    third: str = ""

    def expressions(self, place: int) -> str:
        first, second = self.pairs[place]
        pair = f"{first}(G) {self.operator} {second}(G)"
        if not self.join:
            return pair
        if self.join == "\\":
            return f"{self.third}(G) / ({pair})"
        return f"({pair}) {self.join} {self.third}(G)"


def _batches(columns: Mapping[str, Vector]) -> Iterator[_Batch]:
    for operator, choose in PAIRS.items():
        pairs = list(choose(columns, 2))
        if not pairs:
            continue
        firsts, seconds = (np.stack([columns[pair[side]] for pair in pairs]) for side in (0, 1))
        rows = _OPERATIONS[operator](firsts, seconds)
        yield _Batch(operator, pairs, rows)
        for join in THIRDS[operator]:
            for third, values in columns.items():
                yield _Batch(operator, pairs, _OPERATIONS[join](rows, values), join, third)


def _correlations(rows: Matrix, profile: Vector) -> Vector:
    """ρ of each row with the profile's quantity, 0 where a row is not finite."""
    order = rows.argsort(axis=1)
    found: Vector = profile[order] @ untied_profile(rows.shape[1])
    ordered = np.take_along_axis(rows, order, axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if tied.any():
        found[tied] = rank_profiles(rows[tied]) @ profile
    found[~np.isfinite(ordered[:, 0]) | ~np.isfinite(ordered[:, -1])] = 0.0
    return found

"""The wide search inside one trial: a part of a formula against thousands of others in its place, again and again."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.formulas.parser import Expr
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.options import ExploreOptions
from evograft_graph_invariant.search.budget import EvaluationBudget
from evograft_graph_invariant.search.building_blocks import BuildingBlocks
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.least_squares import MOVE, Slope
from evograft_graph_invariant.search.replacements import CALLED, Replacements, open_places
from evograft_graph_invariant.search.search_objective import RETURN, SearchObjective
from evograft_graph_invariant.search.trees import Path, replace, strip_affine_constants, tidy, walk
from evograft_graph_invariant.search.values import compute_replaced, compute_values


@dataclass(frozen=True)
class ScoredFormula:
    """A formula that the search found."""

    expr: Expr
    score: float


IsKnown = Callable[[Expr], bool]

CUT = 0.5
"""The frequency with which a part of the parent is cut out first: what grows again is often better than what a good
formula becomes."""


class Explorer:
    """The search, made once for a run's data. It keeps no state, so that a trial depends only on generator and parents.

    Args:
        objective: what is climbed.
        options: how far.
        columns: that formulas are made of, with their values; `None`: all that the data have.
        called: functions that formulas may call.
    """

    def __init__(
        self,
        objective: SearchObjective,
        options: ExploreOptions,
        *,
        columns: Mapping[str, Vector] | None = None,
        called: tuple[str, ...] = CALLED,
    ) -> None:
        self.objective = objective
        self.options = options
        self.columns = objective.table.all.columns if columns is None else columns
        self.blocks = BuildingBlocks(self.columns)
        self.replacements = Replacements(self.blocks, self.columns, called)
        self.most = objective.options.max_nodes

    def explore(
        self, rng: random.Random, parents: tuple[Expr, ...], is_known: IsKnown, budget: EvaluationBudget
    ) -> Expr | None:
        """Return the best formula found that is not known yet; `None` if there is none.

        Args:
            rng: every random choice is made by it.
            parents: the formula to start from, or from what is left when one operation is cut out, and others whose
                parts may be used; none: random pairs of columns.
            is_known: what is to be passed over.
            budget: is used up, one for each formula that was looked at.
        """
        start = strip_affine_constants(tidy(parents[0])) if parents else None
        if start is not None and self.options.least_squares and rng.random() < CUT:
            start = _cut(rng, start)
        best: ScoredFormula | None = None
        for left in range(self.options.rounds, 0, -1):
            turn = EvaluationBudget(budget.take(budget.share(1 / left)))
            for found in self._round(rng, start, parents[1:], turn):
                if not is_known(found.expr) and (best is None or found.score > best.score):
                    best = found
            start = best.expr if best else start
        return best.expr if best else None

    def _round(
        self, rng: random.Random, start: Expr | None, others: tuple[Expr, ...], budget: EvaluationBudget
    ) -> list[ScoredFormula]:
        """Try many parts at one place of the formula; return the best, with fitted constants."""
        width = budget.share(self.options.width)
        exprs = self._put(rng, start, others, budget, width) if start else self._fresh(rng, budget, width)
        found: dict[Expr, ScoredFormula] = {}
        for expr in exprs:
            neat = strip_affine_constants(tidy(expr))
            if neat in found or neat == start or neat.nodes > self.most or not budget.take():
                continue
            score = self.objective.score(neat)
            if score is not None:
                found[neat] = ScoredFormula(neat, score)
        best = sorted(found.values(), key=lambda each: -each.score)
        for left, each in zip(range(self.options.fits, 0, -1), list(best), strict=False):
            turn = EvaluationBudget(budget.take(budget.share(1 / left)))
            best.append(ScoredFormula(*fit_constants(each.expr, each.score, self.objective, turn, most=self.most)))
        return best

    def _fresh(self, rng: random.Random, budget: EvaluationBudget, width: int) -> list[Expr]:
        pairs = self.blocks.pairs(rng, budget.take(width), most=self.most)
        return [pairs.exprs[i] for i in self._closest(self.objective.screen(pairs.rows, pairs.nodes + RETURN))]

    def _put(
        self, rng: random.Random, start: Expr, others: tuple[Expr, ...], budget: EvaluationBudget, width: int
    ) -> list[Expr]:
        path, part = rng.choice(open_places(start))
        rest = start.nodes - part.nodes
        slope = self._slope(start, path, part) if self.options.least_squares else None
        fragments = self.replacements.find(rng, part, others, slope, count=budget.take(width), most=self.most - rest)
        with np.errstate(all="ignore"):
            rows = compute_replaced(start, path, fragments.rows, self.columns)
        closest = self._closest(self.objective.screen(rows, fragments.nodes + rest + RETURN))
        return [replace(start, path, fragments.exprs[i]) for i in closest]

    def _slope(self, start: Expr, path: Path, part: Expr) -> Slope | None:
        with np.errstate(all="ignore"):
            here = np.broadcast_to(compute_values(part, self.columns), (self.blocks.graphs,))
            move = MOVE * here.std()
            before, values, after = compute_replaced(
                start, path, np.stack([here - move, here, here + move]), self.columns
            )
        straight = self.objective.straighten(values)
        if straight is None:
            return None
        return Slope.between(straight, before, after, distance=2 * move)

    def _closest(self, crude: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[int]:
        order = (-crude).argsort(kind="stable")[: self.options.closer]
        return [i for i in order.tolist() if crude[i] > -np.inf]


def _cut(rng: random.Random, formula: Expr) -> Expr:
    """Return the formula with one of its operations replaced by what it is applied to."""
    cuts = [(path, kept) for path, part in walk(formula) for kept in part.arguments if kept.operation != "constant"]
    if not cuts:
        return formula
    path, kept = rng.choice(cuts)
    return strip_affine_constants(tidy(replace(formula, path, kept)))

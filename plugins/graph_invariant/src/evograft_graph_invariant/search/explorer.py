"""The wide search inside one trial: a part of a formula against thousands of others in its place, again and again."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evograft_graph_invariant.formulas.parser import Step
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.options import ExploreOptions
from evograft_graph_invariant.search.budget import Budget
from evograft_graph_invariant.search.building_blocks import Stock
from evograft_graph_invariant.search.constants import fit_constants
from evograft_graph_invariant.search.fragments import CALLED, Replacements, open_places
from evograft_graph_invariant.search.least_squares import MOVE, Slope
from evograft_graph_invariant.search.search_objective import RETURN, Aim
from evograft_graph_invariant.search.trees import Path, replace, tidy, walk, without_line
from evograft_graph_invariant.search.values import completed, value


@dataclass(frozen=True)
class Found:
    """A formula that the search came by."""

    step: Step
    score: float


IsKnown = Callable[[Step], bool]

CUT = 0.5
"""How often a part of the parent is cut out first: what grows again is often better than what a good formula becomes."""


class Explorer:
    """Made once for a run's data; keeps no state, so that a trial depends on its generator and its parents only.

    Args:
        aim: what is climbed.
        options: how far.
        columns: that formulas are made of, with their values; `None`: all that the data have.
        called: functions that formulas may call.
    """

    def __init__(
        self,
        aim: Aim,
        options: ExploreOptions,
        *,
        columns: Mapping[str, Vector] | None = None,
        called: tuple[str, ...] = CALLED,
    ) -> None:
        self.aim = aim
        self.options = options
        self.columns = aim.sheet.all.columns if columns is None else columns
        self.stock = Stock(self.columns)
        self.replacements = Replacements(self.stock, self.columns, called)
        self.most = aim.options.max_nodes

    def explore(self, rng: random.Random, parents: tuple[Step, ...], is_known: IsKnown, budget: Budget) -> Step | None:
        """The best formula found that is not known yet; `None` if there is none.

        Args:
            rng: every random choice is made by it.
            parents: the formula to start from, or from what is left when one operation is cut out, and others whose parts may be used; none: random pairs of columns.
            is_known: what is to be passed over.
            budget: is used up, one for each formula that was looked at.
        """
        start = without_line(tidy(parents[0])) if parents else None
        if start is not None and self.options.least_squares and rng.random() < CUT:
            start = _cut(rng, start)
        best: Found | None = None
        for left in range(self.options.rounds, 0, -1):
            turn = Budget(budget.take(budget.share(1 / left)))
            for found in self._round(rng, start, parents[1:], turn):
                if not is_known(found.step) and (best is None or found.score > best.score):
                    best = found
            start = best.step if best else start
        return best.step if best else None

    def _round(self, rng: random.Random, start: Step | None, others: tuple[Step, ...], budget: Budget) -> list[Found]:
        """One place of the formula; the best of what was put there, with fitted constants."""
        width = budget.share(self.options.width)
        steps = self._put(rng, start, others, budget, width) if start else self._fresh(rng, budget, width)
        found: dict[Step, Found] = {}
        for step in steps:
            neat = without_line(tidy(step))
            if neat in found or neat == start or neat.nodes > self.most or not budget.take():
                continue
            score = self.aim.score(neat)
            if score is not None:
                found[neat] = Found(neat, score)
        best = sorted(found.values(), key=lambda each: -each.score)
        for left, each in zip(range(self.options.fits, 0, -1), list(best), strict=False):
            turn = Budget(budget.take(budget.share(1 / left)))
            best.append(Found(*fit_constants(each.step, each.score, self.aim, turn, most=self.most)))
        return best

    def _fresh(self, rng: random.Random, budget: Budget, width: int) -> list[Step]:
        pairs = self.stock.pairs(rng, budget.take(width), most=self.most)
        return [pairs.steps[i] for i in self._closest(self.aim.screen(pairs.rows, pairs.nodes + RETURN))]

    def _put(self, rng: random.Random, start: Step, others: tuple[Step, ...], budget: Budget, width: int) -> list[Step]:
        path, part = rng.choice(open_places(start))
        rest = start.nodes - part.nodes
        slope = self._slope(start, path, part) if self.options.least_squares else None
        pieces = self.replacements.find(rng, part, others, slope, count=budget.take(width), most=self.most - rest)
        with np.errstate(all="ignore"):
            rows = completed(start, path, pieces.rows, self.columns)
        closest = self._closest(self.aim.screen(rows, pieces.nodes + rest + RETURN))
        return [replace(start, path, pieces.steps[i]) for i in closest]

    def _slope(self, start: Step, path: Path, part: Step) -> Slope | None:
        with np.errstate(all="ignore"):
            here = np.broadcast_to(value(part, self.columns), (self.stock.graphs,))
            move = MOVE * here.std()
            before, values, after = completed(start, path, np.stack([here - move, here, here + move]), self.columns)
        straight = self.aim.straighten(values)
        if straight is None:
            return None
        return Slope.between(straight, before, after, distance=2 * move)

    def _closest(self, crude: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[int]:
        order = (-crude).argsort(kind="stable")[: self.options.closer]
        return [i for i in order.tolist() if crude[i] > -np.inf]


def _cut(rng: random.Random, formula: Step) -> Step:
    """The formula with one of its operations replaced by what it is applied to."""
    cuts = [(path, kept) for path, part in walk(formula) for kept in part.arguments if kept.operation != "constant"]
    if not cuts:
        return formula
    path, kept = rng.choice(cuts)
    return without_line(tidy(replace(formula, path, kept)))

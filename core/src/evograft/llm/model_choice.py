"""Which model a trial asks: drawn by weight, or by a bandit that weighs improvement against cost."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from evograft.config.pipeline import LlmSection
from evograft.log.spending import Spending
from evograft_hookspecs import Trial

UNKNOWN_COST = 1.0
"""Where no price is known all models count as equally dear."""


@dataclass
class Arm:
    """What the commits so far say about a model."""

    trials: int = 0
    improved: int = 0
    """Trials that scored higher than the best of their parents."""
    dollars: float = 0.0
    tokens: int = 0
    unpriced: int = 0

    def add(self, *, improved: bool, spent: Spending) -> None:
        self.trials += 1
        self.improved += improved
        self.dollars += spent.dollars
        self.tokens += spent.tokens
        self.unpriced += spent.unpriced


class ModelChoice:
    """Draws a model for each trial; its state is a fold over commits.

    The bandit is Thompson sampling on the share of trials that improved on their parents (uniform prior), each sample
    divided by the mean cost of a trial of that model: what is drawn most is what improves most for its money. Where a
    price is unknown, tokens stand for all costs. A model is drawn in proportion to its weight until each has been
    tried; a weight of 0 switches it off.
    """

    def __init__(self, section: LlmSection, *, parent: Callable[[int], Trial]) -> None:
        self._weights = {model.name: model.weight for model in section.models if model.weight}
        self._bandit = section.choice == "bandit"
        self._parent = parent
        self._arms = {name: Arm() for name in self._weights}

    def commit(self, trial: Trial, spent: Spending) -> None:
        if self._bandit and trial.model in self._arms:
            self._arms[trial.model].add(improved=self._improved(trial), spent=spent)

    def draw(self, seed: int, *, operator: str) -> str:  # noqa: ARG002 - whatever it is
        """Draw the model of a trial; empty when the pipeline names none."""
        if not self._weights:
            return ""
        rng = random.Random(seed)
        untried = {name: self._weights[name] for name, arm in self._arms.items() if not arm.trials}
        if self._bandit and not untried:
            costs = self._costs()
            return max(self._arms, key=lambda name: self._sample(rng, name) / costs[name])
        weights = untried if self._bandit else self._weights
        return rng.choices(list(weights), list(weights.values()))[0]

    def _sample(self, rng: random.Random, name: str) -> float:
        arm = self._arms[name]
        return self._weights[name] * rng.betavariate(1 + arm.improved, 1 + arm.trials - arm.improved)

    def _costs(self) -> dict[str, float]:
        priced = not any(arm.unpriced for arm in self._arms.values())
        costs = {name: (arm.dollars if priced else arm.tokens) / arm.trials for name, arm in self._arms.items()}
        # A model that costs nothing would always be drawn, however little it helps.
        floor = 0.01 * max(costs.values()) or UNKNOWN_COST
        return {name: max(cost, floor) for name, cost in costs.items()}

    def _improved(self, trial: Trial) -> bool:
        if trial.score is None or trial.candidate is None:
            return False
        parents = (self._parent(number).score for number in trial.candidate.parents)
        return trial.score > max((score for score in parents if score is not None), default=-math.inf)

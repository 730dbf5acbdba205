"""Which model a trial asks where cheap ones make most edits, and strong ones what they are needed for."""

from __future__ import annotations

import random
from collections.abc import Sequence

from evograft.config.pipeline import LlmSection, ModelSection
from evograft.errors import UserError
from evograft.log.population import Best
from evograft.log.spending import Spending
from evograft_hookspecs import Trial


class ModelTiers:
    """Gives a trial a cheap model, or a strong one by its operator and by the moment; a fold over commits.

    Strong models are asked for the operators that the section names, and when the run has not become better for a
    while: for a few commits, and again each time when as many have passed. If they have had their share of the dollars,
    cheap ones are asked all the same.
    """

    def __init__(self, section: LlmSection) -> None:
        self._when = section.strong
        self._weights = {
            tier: {model.name: model.weight for model in section.models if model.tier == tier and model.weight}
            for tier in ("cheap", "strong")
        }
        self._best = Best()
        self._stalled = 0
        """Commits since the last new best."""
        self._dollars = {"cheap": 0.0, "strong": 0.0}

    def commit(self, trial: Trial, spent: Spending) -> None:
        self._stalled = 0 if self._best.see(trial) else self._stalled + 1
        tier = "strong" if trial.model in self._weights["strong"] else "cheap"
        self._dollars[tier] += spent.dollars

    def draw(self, seed: int, *, operator: str) -> str:
        """Draw the model of a trial, by weight among those of its tier."""
        is_strong = (self._is_for(operator) or self._has_stalled()) and self._is_affordable()
        weights = self._weights["strong" if is_strong else "cheap"]
        return random.Random(seed).choices(list(weights), list(weights.values()))[0]

    def _is_for(self, operator: str) -> bool:
        return operator in self._when.operators or operator.rpartition(".")[2] in self._when.operators

    def _has_stalled(self) -> bool:
        plateau = self._when.plateau
        return plateau is not None and self._stalled >= plateau and self._stalled % plateau < self._when.burst

    def _is_affordable(self) -> bool:
        total = sum(self._dollars.values())
        return not total or self._dollars["strong"] <= self._when.share * total


def assign_tiers(models: Sequence[ModelSection]) -> tuple[ModelSection, ...]:
    """Return models with their tiers by price: the most expensive is strong, the others are cheap.

    Raises:
        UserError: a price is unknown, or all that may be drawn cost the same.
    """
    on = [model for model in models if model.weight]
    unknown = [model.name for model in on if model.price is None]
    costs = {_sum_price(model) for model in on}
    if unknown or len(costs) < 2:  # noqa: PLR2004 - cheap and strong
        why = f"nobody knows the price of {unknown[0]!r}" if unknown else "all models cost the same"
        raise UserError(
            f"llm.choice: tiers by price need to know what is expensive, and {why}: give each of llm.models "
            "`tier: cheap` or `tier: strong`"
        )
    most = max(costs)
    return tuple(
        model.model_copy(update={"tier": "strong" if _sum_price(model) >= most else "cheap"}) for model in models
    )


def _sum_price(model: ModelSection) -> float:
    """Return the dollars for as many tokens of a prompt as of an answer."""
    return model.price.prompt + model.price.completion if model.price else 0.0

"""The offer for a selection: which operators, and with which weights."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from evograft_hookspecs import FrozenDict, Proposal
from evograft_operators.formulas import edits
from evograft_operators.models import operations
from evograft_operators.models.proposal_data import build_data

NAME = "operators"

Profiles = Mapping[str, Mapping[str, float]]

OTHER = "other"
"""The profile of every strategy without one of its own."""

PROFILES: Profiles = {
    "refine": {"constant": 4, "swap": 3, "shrink": 2, "grow": 3, "regrow": 1, "splice": 1}
    | {"diff": 5, "rewrite": 2, "crossover": 1, "fresh": 0.1},
    "combine": {"splice": 8, "constant": 1, "swap": 1, "shrink": 1, "grow": 1}
    | {"crossover": 8, "diff": 1, "rewrite": 1, "fresh": 0.1},
    "novel": {"sprout": 2, "regrow": 4, "grow": 2, "splice": 2, "swap": 1, "shrink": 1}
    | {"rewrite": 5, "fresh": 2, "crossover": 2},
    OTHER: dict.fromkeys(edits.OPERATIONS, 1.0) | {"rewrite": 2, "diff": 2, "crossover": 1, "fresh": 0.25},
}
"""Weights by strategy, before the temperature; what is not named has none."""

COOLEST, HOTTEST = 0.1, 10.0
"""Temperatures beyond these count as these."""


class OperatorProfile(Protocol):
    """An operator as the mixture knows it."""

    @property
    def parents(self) -> int:
        """How many it uses."""

    @property
    def boldness(self) -> float:
        """0: a small step, 1: a leap. A high temperature favours the bold ones, a low one the timid."""


@lru_cache(maxsize=256)
def offer_formulas(profiles: Profiles, strategy: str, temperature: float, parents: int) -> tuple[Proposal, ...]:
    """Return the edits of formulas."""
    weights = weigh(edits.OPERATIONS, _profile(profiles, strategy), temperature=temperature, parents=parents)
    return tuple(
        Proposal(id=f"{NAME}.{name}", operator=f"{NAME}.{name}", weight=weight) for name, weight in weights.items()
    )


def offer_models(
    profiles: Profiles, strategy: str, temperature: float, parents: int, *, instruction: str, suitable: bool = False
) -> tuple[Proposal, ...]:
    """Return the operators that ask a model.

    Args:
        profiles: weights that go before `PROFILES`.
        strategy: the selection's.
        temperature: the selection's; it travels in the proposals' data, because `mutate` is not given the selection.
        parents: how many the selection has.
        instruction: what the strategy means, in words.
        suitable: whether only operators are told that it does not contradict.
    """
    profile = _profile(profiles, strategy)
    weights = weigh(operations.OFFERED, profile, temperature=temperature, parents=parents)
    return tuple(
        Proposal(
            id=f"{NAME}.{name}@{min(max(temperature, 0.0), 100.0):.3f}",
            operator=f"{NAME}.{name}",
            weight=weight,
            instruction=instruction if operations.OFFERED[name].follows(strategy) or not suitable else "",
            data=build_data(name, temperature),
        )
        for name, weight in weights.items()
    )


def offer_agent(
    models: tuple[Proposal, ...], *, share: float, temperature: float, instruction: str
) -> tuple[Proposal, ...]:
    """Return what asks a model, and an agent that has a share of all the weight.

    Args:
        models: with parents.
        share: 0: there is no agent; 1: there is nothing else.
        temperature: the selection's.
        instruction: what the strategy means, in words.
    """
    if not share or not models:
        return models
    agent = Proposal(
        id=f"{NAME}.{operations.AGENT}@{min(max(temperature, 0.0), 100.0):.3f}",
        operator=f"{NAME}.{operations.AGENT}",
        weight=share,
        instruction=instruction,
        data=build_data(operations.AGENT, temperature),
    )
    return (*(_scale(models, 1 - share) if share < 1 else ()), agent)


def combine_weights(
    formulas: tuple[Proposal, ...], models: tuple[Proposal, ...], *, share: float
) -> tuple[Proposal, ...]:
    """Return both kinds side by side, with a weight of 1 in all, of which the models' have a share.

    Where there is no formula to edit the models' have all of it, so that what another plugin offers weighs alike.
    """
    if not models:
        return formulas
    if not formulas:
        return _scale(models, 1.0)
    return (*_scale(formulas, 1 - share), *_scale(models, share))


def weigh(
    ways: Mapping[str, OperatorProfile], profile: Mapping[str, float], *, temperature: float, parents: int
) -> dict[str, float]:
    """Return the weight of each operator that has the parents it needs; without parents only those that need none.

    A profile that leaves nothing weighs all alike, so that a run never gets stuck.
    """
    fitting = {name: way for name, way in ways.items() if (way.parents <= parents if parents else way.parents == 0)}
    if not parents:
        return dict.fromkeys(fitting, 1.0)
    heat = min(max(temperature, COOLEST), HOTTEST)
    weights = {name: profile.get(name, 0.0) * heat ** (2 * way.boldness - 1) for name, way in fitting.items()}
    return {name: weight for name, weight in weights.items() if weight} or dict.fromkeys(fitting, 1.0)


@lru_cache(maxsize=64)
def _profile(profiles: Profiles, strategy: str) -> FrozenDict[str, float]:
    usual = PROFILES.get(strategy, PROFILES[OTHER])
    given = profiles.get(strategy, {} if strategy in PROFILES else profiles.get(OTHER, {}))
    return FrozenDict({**usual, **given})


def _scale(proposals: tuple[Proposal, ...], share: float) -> tuple[Proposal, ...]:
    total = sum(proposal.weight for proposal in proposals)
    return tuple(each.model_copy(update={"weight": each.weight * share / total}) for each in proposals)

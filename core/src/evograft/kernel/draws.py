"""The draws of the kernel for a trial: one of the proposals, its model, and how often its candidate may be repaired."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from evograft.errors import PluginError
from evograft.kernel.plan import RunParts, RunPlan
from evograft.kernel.running_trial import Repairs, RunningTrial
from evograft.llm.model_choice import ModelChoice
from evograft.llm.model_tiers import ModelTiers
from evograft.log.records import ReplayedTrial
from evograft.log.spending import Spending
from evograft.plugin.context import Scope
from evograft.plugin.hooks import Hooks
from evograft_hookspecs import Advice, Proposal, Trial


class ProposalDraw:
    """A draw by the weights that hold for each trial; if a run is repeated, the same draw as then.

    Args:
        weights: pairs (first trial, weights of operators), ascending.
        choice: of models; a fold over commits.
        repairs: how often a candidate may be repaired, if its plugin can and its pipeline lets it.
        follows: the trials of the run that is repeated.
    """

    def __init__(
        self,
        weights: Sequence[tuple[int, Mapping[str, float]]],
        choice: ModelChoice | ModelTiers,
        *,
        repairs: int,
        follows: Iterable[ReplayedTrial],
    ) -> None:
        self._starts = [first for first, _ in weights]
        self._weights = [each for _, each in weights]
        self._choice = choice
        self._repairs = repairs
        self._followed = {each.number: each for each in follows}

    @classmethod
    def for_run(cls, plan: RunPlan, parts: RunParts) -> Self:
        """Draw as the settings of a run say."""
        llm = plan.pipeline.llm
        return cls(
            plan.weights,
            ModelTiers(llm) if llm.choice == "tiers" else ModelChoice(llm, parent=parts.population.trial),
            repairs=plan.pipeline.repairs if parts.models.available else 0,
            follows=plan.follows or (),
        )

    def commit(self, trial: Trial, spent: Spending) -> None:
        self._choice.commit(trial, spent)

    def draw_for(self, trial: RunningTrial, proposals: Sequence[Proposal], *, advice: tuple[Advice, ...]) -> None:
        """Give a trial one of the proposals, with all advice, its model, and its repairs."""
        drawn = self._proposal(trial.scope, proposals)
        trial.proposal = drawn.model_copy(update={"advice": advice})
        trial.repairs = self._repairs_of(trial.scope, drawn.operator, trial.hooks)
        trial.scope = trial.scope.with_facts(model=drawn.model)

    def _proposal(self, scope: Scope, proposals: Sequence[Proposal]) -> Proposal:
        """Draw one of the proposals, with its model."""
        drawn = draw(proposals, self._weights_of(scope), seed=scope.seed("draw", "kernel"))
        followed = self._of(scope)
        if followed is not None:
            return drawn.model_copy(update={"model": followed.model})
        model = drawn.model or self._choice.draw(scope.seed("model", "kernel"), operator=drawn.operator)
        return drawn.model_copy(update={"model": model})

    def _repairs_of(self, scope: Scope, operator: str, hooks: Hooks) -> Repairs:
        """Return the operator that repairs what another one makes, and how often it may."""
        repair_operator, followed = hooks.repair_operator(operator), self._of(scope)
        if repair_operator is None:
            return Repairs()
        if followed is not None:
            return Repairs(repair_operator, followed.repairs)
        return Repairs(repair_operator, self._repairs if self._weights_of(scope).get(repair_operator, 1.0) else 0)

    def _of(self, scope: Scope) -> ReplayedTrial | None:
        return None if scope.trial is None else self._followed.get(scope.trial)

    def _weights_of(self, scope: Scope) -> Mapping[str, float]:
        return self._weights[bisect_right(self._starts, scope.trial or 0) - 1]


def draw(proposals: Sequence[Proposal], weights: Mapping[str, float], *, seed: int) -> Proposal:
    """Draw a proposal by its own weight times the pipeline's weight of its operator (1 if none is given).

    If the pipeline switches off everything on offer, the proposals' own weights decide alone: a run never gets stuck.

    Raises:
        PluginError: there is no proposal, or none that may be drawn.
    """
    if not proposals:
        raise PluginError(
            "hook propose: no plugin of the pipeline offered a proposal; add one with operators for such candidates, "
            "or name their kind in the option `kinds` of the plugin operators"
        )
    shares = [proposal.weight * weights.get(proposal.operator, 1.0) for proposal in proposals]
    if not any(shares):
        shares = [proposal.weight for proposal in proposals]
    if not 0 < sum(shares) < math.inf:
        offered = ", ".join(f"{proposal.operator} {proposal.weight:g}" for proposal in proposals)
        raise PluginError(f"hook propose: nothing can be drawn by the proposals' weights ({offered})")
    return random.Random(seed).choices(proposals, weights=shares)[0]

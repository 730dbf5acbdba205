"""The share of an agent among the proposals that ask a model."""

from __future__ import annotations

from evograft_hookspecs import Proposal


def add_agent(proposals: tuple[Proposal, ...], share: float, instruction: str) -> tuple[Proposal, ...]:
    """Return proposals with an agent that has a share of all their weight; 0: without, 1: the agent alone."""
    if not share or not proposals:
        return proposals
    total = sum(each.weight for each in proposals)
    agent = Proposal(
        id="ahc.agent",
        operator="operators.agent",
        instruction=instruction,
        weight=share * total,
        data=proposals[0].data,
    )
    others = (each.model_copy(update={"weight": (1 - share) * each.weight}) for each in proposals)
    return (*(others if share < 1 else ()), agent)

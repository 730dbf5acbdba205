"""Drawing one of the proposals by weight."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from evograft.errors import PluginError
from evograft_hookspecs import Proposal


def draw(proposals: Sequence[Proposal], weights: Mapping[str, float], *, seed: int) -> Proposal:
    """Draws a proposal by its own weight times the pipeline's weight of its operator (1 where none is given).

    Raises:
        PluginError: there is no proposal, or every weight is 0.
    """
    if not proposals:
        raise PluginError("hook propose: no plugin of the pipeline offered a proposal; add a plugin with operators")
    shares = [proposal.weight * weights.get(proposal.operator, 1.0) for proposal in proposals]
    if sum(shares) <= 0:
        names = ", ".join(proposal.operator for proposal in proposals)
        raise PluginError(
            f"hook propose: every proposal has the weight 0 ({names}); change `operators` in the pipeline"
        )
    return random.Random(seed).choices(proposals, weights=shares)[0]

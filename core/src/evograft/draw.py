"""Drawing one of the proposals by weight."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from evograft.errors import PluginError
from evograft_hookspecs import Proposal


def draw(proposals: Sequence[Proposal], weights: Mapping[str, float], *, seed: int) -> Proposal:
    """Draws a proposal by its own weight times the pipeline's weight of its operator (1 where none is given).

    Where the pipeline switches off everything on offer, the proposals' own weights decide alone: a run never gets stuck.

    Raises:
        PluginError: there is no proposal, or none that may be drawn.
    """
    if not proposals:
        raise PluginError("hook propose: no plugin of the pipeline offered a proposal; add a plugin with operators")
    shares = [proposal.weight * weights.get(proposal.operator, 1.0) for proposal in proposals]
    if not any(shares):
        shares = [proposal.weight for proposal in proposals]
    if not 0 < sum(shares) < math.inf:
        offered = ", ".join(f"{proposal.operator} {proposal.weight:g}" for proposal in proposals)
        raise PluginError(f"hook propose: nothing can be drawn by the proposals' weights ({offered})")
    return random.Random(seed).choices(proposals, weights=shares)[0]

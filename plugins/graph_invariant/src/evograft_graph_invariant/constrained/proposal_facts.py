"""The facts of a proposal of constrained generation, which its `mutate` and readers of the log need."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Self

from evograft_hookspecs import FrozenDict, Proposal
from evograft_hookspecs.values import Json

PLUGIN = "graph_invariant"
CONSTRAINED, CORRECT = f"{PLUGIN}.constrained", f"{PLUGIN}.correct"
HIGHEST = 100.0
DIGITS = 3
"""Decimal places of a temperature."""

_ID_OF_CONTRACT_1 = re.compile(rf"{PLUGIN}\.constrained(?:-(\d{{1,9}}))?@(\d{{1,9}}\.\d{{3}})", re.ASCII)


@dataclass(frozen=True)
class ProposalFacts:
    """Facts that `mutate` has no other source for: it is given a proposal and no selection."""

    use: int
    """The use of the fallback model that is due, from 1 on; 0: none is."""
    temperature: float
    """The island's."""

    def to_data(self) -> Json:
        """Return the facts as a proposal's data."""
        temperature = round(min(max(self.temperature, 0.0), HIGHEST), DIGITS)
        return FrozenDict(asdict(self) | {"temperature": temperature})

    @classmethod
    def read(cls, proposal: Proposal | None) -> Self | None:
        """Return the facts of a proposal; `None`: it is another plugin's, or there is none.

        Proposals in logs of contract 1, which had no field for data, hold them in their ids.
        """
        if proposal is None or proposal.operator not in (CONSTRAINED, CORRECT):
            return None
        match dict(proposal.data):
            case {"use": int() as use, "temperature": float() | int() as temperature}:
                return cls(use, float(temperature))
        old = _ID_OF_CONTRACT_1.fullmatch(proposal.id)
        return cls(int(old[1] or 0), float(old[2])) if old else None

"""What a proposal's id says of constrained generation. `mutate`, and who reads the log, is told it by nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from evograft_hookspecs import Proposal

PLUGIN = "graph_invariant"
CONSTRAINED, CORRECT = f"{PLUGIN}.constrained", f"{PLUGIN}.correct"

_ID = re.compile(rf"{PLUGIN}\.constrained(?:-(\d{{1,9}}))?@(\d{{1,9}}\.\d{{3}})", re.ASCII)


@dataclass(frozen=True)
class Mark:
    """Of a proposal of constrained generation."""

    use: int
    """The use of the fallback model that is due, from 1 on; 0: none is."""
    temperature: float
    """The island's."""

    @classmethod
    def read(cls, proposal: Proposal | None) -> Self | None:
        """`None` of any other proposal."""
        told = _ID.fullmatch(proposal.id) if proposal else None
        return cls(int(told[1] or 0), float(told[2])) if told else None

    @property
    def id(self) -> str:
        use = f"-{self.use}" if self.use else ""
        return f"{CONSTRAINED}{use}@{min(max(self.temperature, 0.0), 100.0):.3f}"

"""What a proposal's id says: the operator it was made for, and the selection's temperature.

`mutate` is given a proposal and no selection, and what it needs has to be in its arguments. A mending call keeps the id
of the proposal that it follows.
"""

from __future__ import annotations

import re

from evograft_hookspecs import Proposal

_ID = re.compile(r"\w+\.(\w+)@(\d{1,9}(?:\.\d{1,9})?)", re.ASCII)


def add_temperature(operator: str, temperature: float) -> str:
    """The id of a proposal of an operator, made at a temperature."""
    return f"{operator}@{min(max(temperature, 0.0), 100.0):.3f}"


def get_temperature(proposal: Proposal, bounds: tuple[float, float] | None) -> float | None:
    """The temperature to ask with, held within bounds; `None` where there are no bounds, or the id says nothing."""
    told = _ID.fullmatch(proposal.id)
    return min(max(float(told[2]), bounds[0]), bounds[1]) if told and bounds else None


def get_origin(proposal: Proposal) -> str:
    """The short name of the operator that the proposal was made for; empty: the id says nothing."""
    told = _ID.fullmatch(proposal.id)
    return told[1] if told else ""

"""Facts of a proposal for `mutate`: the selection's temperature, and the operator that the proposal was made for.

`mutate` is given a proposal and no selection, so what it needs travels in `Proposal.data`. A repair keeps the data of
the proposal that it follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evograft_hookspecs import FrozenDict, Proposal
from evograft_hookspecs.values import Json

_OLD_ID = re.compile(r"\w+\.(\w+)@(\d{1,9}(?:\.\d{1,9})?)", re.ASCII)
"""How ids said the same before proposals had data; logs hold such proposals."""


def build_data(operation: str, temperature: float) -> FrozenDict[str, Json]:
    """Return the data of a proposal.

    Args:
        operation: the short name of the operator that it is made for.
        temperature: the selection's.
    """
    return FrozenDict({"temperature": round(min(max(temperature, 0.0), 100.0), 3), "operation": operation})


def find_temperature(proposal: Proposal, bounds: tuple[float, float] | None) -> float | None:
    """Return the temperature to ask with, held within bounds; `None` without bounds, or if the proposal has none."""
    given = _read_facts(proposal).get("temperature")
    if bounds is None or isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    return min(max(float(given), bounds[0]), bounds[1])


def find_operation(proposal: Proposal) -> str:
    """Return the short name of the operator that the proposal was made for; empty if it does not say."""
    given = _read_facts(proposal).get("operation")
    return given if isinstance(given, str) else ""


def _read_facts(proposal: Proposal) -> Mapping[str, Json]:
    if isinstance(proposal.data, Mapping) and proposal.data:
        return proposal.data
    old = _OLD_ID.fullmatch(proposal.id)
    return {"operation": old[1], "temperature": float(old[2])} if old else {}

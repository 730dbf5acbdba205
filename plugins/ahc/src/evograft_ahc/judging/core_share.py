"""How much of a core programs had while they could use one."""

from __future__ import annotations

from collections.abc import Iterable

from evograft_ahc.judging.outcome import CaseOutcome

ENOUGH = 0.9
"""Of a core; with less, a program that watches the machine's clock does noticeably less."""


def compute_core_share(cpu_seconds: float, waited_seconds: float) -> float:
    """Return processor time as a share of that and of what was waited for a core."""
    whole = cpu_seconds + waited_seconds
    return cpu_seconds / whole if whole else 1.0


def measure_core_share(outcomes: Iterable[CaseOutcome]) -> float | None:
    """Return the share that the runs of a program had; `None`: nobody counted what they waited."""
    counted = [outcome for outcome in outcomes if outcome.waited_seconds is not None]
    if not counted:
        return None
    waited = sum(outcome.waited_seconds or 0.0 for outcome in counted)
    return compute_core_share(sum(outcome.cpu_seconds for outcome in counted), waited)

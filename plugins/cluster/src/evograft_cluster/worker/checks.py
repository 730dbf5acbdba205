"""The question that each worker is asked before a run sends it anything."""

from __future__ import annotations

from evograft_cluster.requirements import Requirements


def find_lacking(requirements: str) -> tuple[str, ...]:
    """Return what this worker lacks of what a run needs, which is given as JSON."""
    return Requirements.model_validate_json(requirements).find_lacking()

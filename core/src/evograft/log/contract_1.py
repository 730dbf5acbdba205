"""Rows of logs that were written under contract 1, read in the words of today's contract."""

from __future__ import annotations

import json


def upgrade_trial(body: str) -> str:
    """Return a trial's JSON with `selection.incumbent`, which contract 1 calls `selection.bar`."""
    if '"bar":' not in body:
        return body
    trial = json.loads(body)
    selection = trial.get("selection")
    if not isinstance(selection, dict) or "bar" not in selection:
        return body
    selection["incumbent"] = selection.pop("bar")
    return json.dumps(trial)

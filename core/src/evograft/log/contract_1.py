"""Rows of logs that were written under contract 1, read in the words of today's contract.

Contract 1 had no field for some facts, so they are taken out of the sentences that evograft itself wrote then.
"""

from __future__ import annotations

import json
import re
from typing import Any

BY = {"stopped by the person at the terminal": "terminal"}
LIMITS = {
    "target_score": r"target score (\S+) reached",
    "plateau": r"no better score in (\d+) trials",
    "island_plateau": r"no island improved in (\d+) trials",
    "dollars": r"(\S+) dollars spent",
    "tokens": r"(\d+) tokens used",
    "calls": r"(\d+) calls of models made",
    "seconds": r"(\S+) seconds passed",
}
CHOICE = "Follow these strategies: "
"""How an instruction began that named a person's choice among strategies."""


def upgrade_trial(body: str) -> str:
    """Return a trial's JSON with `selection.incumbent`, which contract 1 calls `bar`, and with chosen strategies."""
    if '"bar":' not in body and CHOICE not in body:
        return body
    trial = json.loads(body)
    selection, proposal = trial.get("selection"), trial.get("proposal")
    if isinstance(selection, dict) and "bar" in selection:
        selection["incumbent"] = selection.pop("bar")
    for advice in (proposal or {}).get("advice", ()):
        _name_strategies(advice)
    return json.dumps(trial)


def upgrade_control(body: str) -> str:
    """Return a control's JSON with the cause of a stop, the settings that were changed, and chosen strategies."""
    control = json.loads(body)
    if "stop" in control:
        return body
    text = control["text"]
    if control["kind"] == "stop":
        control["stop"], control["facts"] = _stop_cause(text), _stop_facts(text)
    elif control["kind"] == "settings":
        control["changed"] = sorted({line.partition("=")[0].partition(".")[0] for line in text.splitlines()} - {""})
    else:
        _name_strategies(control)
    return json.dumps(control)


def upgrade_problem(body: str) -> str:
    """Return a problem's JSON with the fields for a conversation, which were parts of the analysis."""
    if '"outline":' not in body:
        return body
    problem = json.loads(body)
    analysis = problem["analysis"] if isinstance(problem["analysis"], dict) else {}
    outline, language = analysis.get("outline"), analysis.get("language")
    if "outline" not in problem and isinstance(outline, list):
        problem["outline"] = [str(line) for line in outline]
        problem["spoken_language"] = language if language in ("en", "ja") else None
    return json.dumps(problem)


def _name_strategies(instruction: dict[str, Any]) -> None:
    text = instruction["text"]
    if text.startswith(CHOICE) and not instruction.get("strategies"):
        instruction["strategies"] = text.removeprefix(CHOICE).split("; ")


def _stop_facts(reason: str) -> dict[str, str | float]:
    if reason.startswith("stopped by "):
        return {"by": BY.get(reason, reason.removeprefix("stopped by "))}
    for limit, pattern in LIMITS.items():
        if found := re.match(pattern, reason):
            return {"limit": limit, "value": float(found[1])}
    return {}


def _stop_cause(reason: str) -> str:
    if reason.startswith("stopped by "):
        return "user"
    if reason.startswith("failed: "):
        return "failure"
    if reason.startswith("target score "):
        return "target"
    return "plateau" if reason.startswith("no ") else "budget"

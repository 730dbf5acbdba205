"""`events.jsonl`: a line for each call of a model, or for a trial without one: the specified fields and two more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from evograft.api import operator_of
from evograft_graph_invariant.records.experiment_log import Exchange, TrialCalls
from evograft_hookspecs import Candidate, Evaluation, Trial


def write_event_lines(trial: Trial, calls: TrialCalls, *, generation: int) -> Iterator[str]:
    """Yield the lines of a trial.

    Args:
        trial: as it was committed.
        calls: what the log knows beside it.
        generation: 0 for seeds.
    """
    if not calls.exchanges:
        yield _line(trial, generation, calls.at, _outcome(trial), code=_code_of(trial.candidate))
        return
    last = len(calls.exchanges) - 1
    for number, exchange in enumerate(calls.exchanges):
        if number == last:
            outcome, code = _outcome(trial), _code_of(trial.candidate)
        else:
            outcome, code = _attempt(trial, number)
        yield _line(trial, generation, exchange.at, outcome, code=code, exchange=exchange)


def _line(
    trial: Trial,
    generation: int,
    at: float,
    outcome: dict[str, Any],
    *,
    code: str | None,
    exchange: Exchange | None = None,
) -> str:
    data = {
        "generation": generation,
        "island": trial.selection.island if trial.selection else None,
        "timestamp": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"),
        "prompt": _prompt(exchange) if exchange else None,
        "llm_response": exchange.answer.text if exchange and exchange.answer else None,
        "extracted_code": code,
        **outcome,
        "operator": operator_of(trial),
        "model": exchange.model if exchange else None,
    }
    if exchange and exchange.refused:
        data |= {"status": "refused", "error": exchange.refused}
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _prompt(exchange: Exchange) -> str:
    return "\n\n".join(message.content for message in exchange.request.messages)


def _outcome(trial: Trial) -> dict[str, Any]:
    evaluation = trial.evaluation
    return {
        "train_score": evaluation.metrics.get("train_rho"),
        "val_score": evaluation.metrics.get("validation_rho"),
        "simplicity": _simplicity(evaluation),
        "status": "success" if evaluation.status == "ok" else evaluation.status,
        "error": evaluation.reason or None,
    }


def _simplicity(evaluation: Evaluation) -> dict[str, int | None] | None:
    """`None` of a candidate that was not looked at so closely; SymPy is asked only where the objective wants it."""
    sizes = {name: evaluation.metrics.get(name) for name in ("ast_nodes", "sympy_length")}
    if sizes["ast_nodes"] is None:
        return None
    return {name: None if size is None else round(size) for name, size in sizes.items()}


def _attempt(trial: Trial, number: int) -> tuple[dict[str, Any], str | None]:
    """Return the result of a call whose candidate went back to be repaired."""
    blank = {"train_score": None, "val_score": None, "simplicity": None, "status": "rejected", "error": None}
    if number >= len(trial.attempts):
        return blank, None
    attempt = trial.attempts[number]
    return {**blank, "error": attempt.reason}, _code_of(attempt.candidate)


def _code_of(candidate: Candidate | None) -> str | None:
    """Return a candidate's code; one of several files, which is invalid here, is given as a whole."""
    return "\n".join(candidate.files.values()) if candidate else None

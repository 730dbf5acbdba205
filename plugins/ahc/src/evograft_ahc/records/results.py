"""`results.csv` of a workspace: one row a session."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evograft.api import Pipeline, write_atomically
from evograft_ahc.files.lock import hold_lock
from evograft_ahc.records.session import SessionRecord

COLUMNS = (
    *("session_name", "start_time", "end_time", "status", "best_score", "final_generation", "model", "temperature"),
    *("population_size", "max_generations", "time_limit_seconds", "total_tokens", "estimated_cost_usd"),
)
SAME = ("session_name", "start_time")
"""What tells sessions apart: those of two batches may have the same name."""
OPERATORS = "operators"
"""The plugin whose options say at which temperature models are asked for programs."""


def build_results_row(name: str, record: SessionRecord, pipeline: Pipeline, *, models: Sequence[str]) -> dict[str, Any]:
    """Return a session as a row; what is unknown or was not limited is empty.

    Args:
        name: of the session.
        record: how it stands.
        pipeline: of its run.
        models: those that answered; the pipeline may name others that nobody asked.
    """
    history = record.best_score_history
    return {
        "session_name": name,
        "start_time": record.start_time,
        "end_time": record.end_time,
        "status": record.status,
        "best_score": history[-1].score if history else None,
        "final_generation": record.current_generation,
        "model": "+".join(models),
        "temperature": _temperature(pipeline),
        "population_size": pipeline.generation_size,
        "max_generations": pipeline.budget.generations,
        "time_limit_seconds": pipeline.budget.seconds,
        "total_tokens": record.total_llm_tokens_used.total_tokens,
        "estimated_cost_usd": record.estimated_llm_cost_usd,
    }


def save_row(file: Path, row: dict[str, Any]) -> None:
    """Write a session's row at the end; the one that it had before, when it was stopped, goes.

    Several sessions may end at the same time.
    """
    with hold_lock(file.with_name(f".{file.name}.lock")):
        rows = [each for each in read_rows(file) if any(each.get(name) != row[name] for name in SAME)]
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows([*rows, row])
        write_atomically(file, text.getvalue().encode())


def read_rows(file: Path) -> list[dict[str, str]]:
    """Return the rows that are there; none if there is no table."""
    if not file.exists():
        return []
    # Spreadsheets that have saved it may have put a mark before it, and have their own idea of letters.
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        return list(csv.DictReader(lines))


def _temperature(pipeline: Pipeline) -> float | None:
    """Return that of the models that write programs, if it is one and not a range."""
    for section in pipeline.plugins:
        if section.name == OPERATORS:
            low, high = section.with_.get("temperature") or (None, None)
            return low if low == high else None
    return None

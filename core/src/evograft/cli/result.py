"""The result of a session, as its command prints it."""

from __future__ import annotations

import json
from typing import Any

import click

from evograft.runs.lock_file import RunFolder
from evograft.text.escapes import escape_controls
from evograft_hookspecs import Evaluation, FinalEvaluated, RunEnded


def summarize(folder: RunFolder, ended: RunEnded, final: FinalEvaluated | None) -> dict[str, Any]:
    """Return the result for programs."""
    return {
        "run": folder.name,
        "id": folder.id,
        "folder": str(folder.path),
        "outcome": ended.outcome,
        "reason": ended.reason,
        "trials": ended.commits,
        "best": json.loads(ended.best.model_dump_json()) if ended.best else None,
        "final": json.loads(final.evaluation.model_dump_json()) if final else None,
    }


def print_result(folder: RunFolder, ended: RunEnded, final: FinalEvaluated | None, *, name: str) -> None:
    """Print the result for people.

    Args:
        folder: of the run.
        ended: the last event of the session.
        final: the final evaluation, if the run is complete.
        name: how a command names the run.
    """
    best = f"best score {ended.best.score:.6g} in trial {ended.best.number}" if ended.best else "no valid candidate"
    click.echo(f"{ended.outcome}: {ended.reason}; {ended.commits} trials, {best}")
    if ended.outcome == "interrupted":
        click.echo(f"resume it with: evo resume {name}")
    if final is not None:
        click.echo(escape_controls(f"final evaluation:{_lay_out(final.evaluation)}"))
    click.echo(f"run = {folder.path}")


def _lay_out(evaluation: Evaluation) -> str:
    """Lay out what an evaluation says behind a label: one line next to it, more lines below it."""
    said = (evaluation.feedback or evaluation.reason).strip("\n")
    score = "" if evaluation.score is None else f" score {evaluation.score:.6g}"
    if "\n" in said:
        return f"{score}\n{said}"
    return f"{score}{':' if score and said else ''}{f' {said}' if said else ''}"

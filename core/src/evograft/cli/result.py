"""The result of a session, as its command prints it."""

from __future__ import annotations

import json
from typing import Any

import click

from evograft.log.population import Best
from evograft.runs.lock_file import RunFolder
from evograft.text.escapes import escape_controls
from evograft_hookspecs import Evaluation, FinalEvaluated, RunEnded, Trial


def summarize(folder: RunFolder, ended: RunEnded, final: FinalEvaluated | None) -> dict[str, Any]:
    """Return the result for programs."""
    best = _find_best(ended)
    return {
        "run": folder.name,
        "id": folder.id,
        "folder": str(folder.path),
        "outcome": ended.outcome,
        "reason": ended.reason,
        "trials": ended.commits + len(ended.waiting),
        "best": json.loads(best.model_dump_json()) if best else None,
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
    found = _find_best(ended)
    best = f"best score {found.score:.6g} in trial {found.number}" if found else "no valid candidate"
    click.echo(f"{ended.outcome}: {ended.reason}; {_count_trials(ended)}, {best}")
    if ended.outcome == "interrupted":
        click.echo(f"resume it with: evo resume {name}")
    if final is not None:
        click.echo(escape_controls(f"final evaluation:{_lay_out(final.evaluation)}"))
    click.echo(f"run = {folder.path}")


def _count_trials(ended: RunEnded) -> str:
    """Return how many trials the log has, as a status counts them, and that some wait for one that was given up."""
    waiting = len(ended.waiting)
    waits = f", {waiting} of them waiting for an earlier one" if waiting else ""
    return f"{ended.commits + waiting} trials{waits}"


def _find_best(ended: RunEnded) -> Trial | None:
    best = Best()
    for trial in filter(None, (ended.best, *ended.waiting)):
        best.see(trial)
    return best.trial


def _lay_out(evaluation: Evaluation) -> str:
    """Lay out what an evaluation says behind a label: one line next to it, more lines below it."""
    said = (evaluation.feedback or evaluation.reason).strip("\n")
    score = "" if evaluation.score is None else f" score {evaluation.score:.6g}"
    if "\n" in said:
        return f"{score}\n{said}"
    return f"{score}{':' if score and said else ''}{f' {said}' if said else ''}"

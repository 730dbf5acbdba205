"""Batches by a call, for commands of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evograft.config.user_settings import load_settings
from evograft_batch.execution import begin_batch, resume_batch, run_batch
from evograft_batch.folder import BATCH_FILE
from evograft_batch.plan.batch_file import parse_batch


def start_or_resume(data: Mapping[str, Any], folder: Path, *, source: str, parallel: int | None = None) -> int:
    """Do what `evo batch` does, and return its exit code: begin a batch, or resume the one that the folder holds.

    Progress, and what is not complete at the end, are told on standard error. Results are left in the folder.

    Args:
        data: the batch, as a batch file has it, with its pipeline.
        folder: of the batch.
        source: where the batch is described, for errors.
        parallel: how many runs are worked on at a time; `None`: as the batch says.

    Raises:
        UserError: the batch is not valid, or not the one that the folder holds.
    """
    given, runs = parse_batch(data, source=source), Path(load_settings().runs_dir)
    if (folder / BATCH_FILE).is_file():
        made, planned = resume_batch(str(folder), given, runs=runs, source=source)
    else:
        made, planned = begin_batch(given, runs=runs, folder=folder, source=source)
    ended = run_batch(made, planned, parallel=parallel or given.parallel)
    for line in ended.describe_rest():
        click.echo(line, err=True)
    return ended.exit_code

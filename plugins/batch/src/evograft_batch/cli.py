"""`evo batch`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft.cli_kit.whole_number import WholeNumber
from evograft.errors import UserError

if TYPE_CHECKING:
    from evograft_batch.execution import EndedBatch


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--resume", metavar="FOLDER", help="Resume the batch in this folder.")
@click.option("--parallel", type=WholeNumber(least=1), help="Work on this many runs at a time, whatever the file says.")
@click.option(
    "--run-dir", type=click.Path(path_type=Path), help="Make the batch in this folder instead of ./runs/NAME-N."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
def batch(file: Path | None, resume: str | None, parallel: int | None, run_dir: Path | None, *, as_json: bool) -> int:
    """Run every combination of the settings, problems and seeds in FILE, several at a time.

    Each is a run of its own, worked on by a process of its own. With --resume, runs that are complete are kept, and a
    FILE beside it must be the one that the batch was begun with, but for `parallel`.
    """
    from evograft.config.user_settings import load_settings
    from evograft_batch.execution import begin_batch, resume_batch, run_batch
    from evograft_batch.plan.batch_file import read_batch_file

    runs = Path(load_settings().runs_dir)
    given = read_batch_file(file) if file else None
    if resume is not None and run_dir is not None:
        raise UserError("--resume names the folder: leave out --run-dir")
    if resume is not None:
        folder, planned = resume_batch(resume, given, runs=runs, source=str(file))
    elif given is not None:
        folder, planned = begin_batch(given, runs=runs, folder=run_dir, source=str(file))
    else:
        raise UserError("name a batch file, or a batch to go on with: evo batch --resume FOLDER")
    parallel = parallel or (given or folder.batch).parallel
    ended = run_batch(folder, planned, parallel=parallel, mode="quiet" if as_json else None)
    _print_results(ended, as_json=as_json)
    return ended.exit_code


def _print_results(ended: EndedBatch, *, as_json: bool) -> None:
    from evograft_batch.results.run_results import results_data
    from evograft_batch.results.tables import print_results

    if as_json:
        click.echo(json.dumps(results_data(ended.folder, ended.rows)))
    else:
        print_results(ended.folder, ended.rows)
    for line in ended.describe_rest():
        click.echo(line, err=True)

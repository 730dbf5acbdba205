"""A batch at the command line: its folder, its work, its signals and its results."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from evograft.cli_kit.signals import ending_signals
from evograft.config.user_settings import load_settings
from evograft_batch.folder import BatchFolder, find_batch_folder, make_batch_folder, require_same
from evograft_batch.jobs.job import COMPLETE, INTERRUPTED, BatchJob
from evograft_batch.jobs.job_runner import JobRunner, find_worst, get_exit_code
from evograft_batch.jobs.progress import BatchProgress
from evograft_batch.plan.batch_file import BatchFile
from evograft_batch.plan.matrix import PlannedRun, check_runs, plan_runs
from evograft_batch.results.run_results import read_earlier_endings, results_data, save_results
from evograft_batch.results.tables import print_results

POLL_EVERY = 0.1
"""Seconds between looks at the processes."""


def begin_batch(
    given: BatchFile, *, runs: Path, folder: Path | None, source: str
) -> tuple[BatchFolder, tuple[PlannedRun, ...]]:
    """Create the folder of a new batch whose runs were all checked."""
    planned = plan_runs(given, source=source)
    check_runs(planned, source=source)
    return make_batch_folder(given, runs=runs, folder=folder), planned


def resume_batch(
    word: str, given: BatchFile | None, *, runs: Path, source: str
) -> tuple[BatchFolder, tuple[PlannedRun, ...]]:
    """Find a batch that was begun, and what it planned."""
    folder = find_batch_folder(word, runs=runs)
    if given is not None:
        require_same(given, folder, source=source)
    planned = plan_runs(folder.batch, source=str(folder.path))
    endings = read_earlier_endings(folder)
    check_runs([run for run in planned if endings.get(run.name) != COMPLETE], source=str(folder.path))
    return folder, planned


def run_batch(folder: BatchFolder, planned: Sequence[PlannedRun], *, parallel: int, as_json: bool) -> int:
    """Run everything in a batch until all runs have ended, and return the exit code."""
    endings = read_earlier_endings(folder)
    jobs = [BatchJob(run, folder, ending=endings.get(run.name)) for run in planned]
    folder.write_pipelines(planned)
    for job in jobs:
        job.refresh()
    runner = JobRunner(jobs, parallel=parallel)
    with BatchProgress("quiet" if as_json else load_settings().progress, jobs) as progress:
        progress.say(f"batch {folder.path.name} in {folder.path}: {len(jobs)} runs, {parallel} at a time")
        _run_jobs(runner, folder, jobs, progress)
    rows = [job.to_row() for job in jobs]
    if as_json:
        click.echo(json.dumps(results_data(folder, rows)))
    else:
        print_results(folder, rows)
    return _report_end(folder, jobs, runner)


def _run_jobs(runner: JobRunner, folder: BatchFolder, jobs: Sequence[BatchJob], progress: BatchProgress) -> None:
    with closing(runner), _catch_signals() as received:
        while not runner.is_done:
            for job in runner.start_next():
                progress.started(job)
            time.sleep(POLL_EVERY)
            while received:
                runner.stop(received.pop(0))
                progress.say("stopping all runs; once more to end them at once")
            ended = runner.take_ended()
            if ended:
                save_results(folder, [job.to_row() for job in jobs])
            for job in ended:
                progress.ended(job)
            progress.show(runner.at_work)
    save_results(folder, [job.to_row() for job in jobs])


@contextmanager
def _catch_signals() -> Iterator[list[int]]:
    """Collect signals to stop as they come in.

    They are not passed on at once: a run may just be starting.
    """
    received: list[int] = []

    def note(number: int, _frame: Any) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in ending_signals()}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report_end(folder: BatchFolder, jobs: Sequence[BatchJob], runner: JobRunner) -> int:
    """Return the exit code, having said what it means."""
    complete = sum(job.state == "complete" for job in jobs)
    if complete == len(jobs):
        return 0
    worst = find_worst(jobs)
    if worst is not None and worst.state == "failed":
        assert worst.ending is not None, "it has failed"
        click.echo(f"worst: {worst.name} with exit code {worst.ending.exit_code}; see {worst.output}", err=True)
    click.echo(f"{complete} of {len(jobs)} runs are complete; go on with: evo batch --resume {folder.path}", err=True)
    return INTERRUPTED if runner.is_stopping or worst is None else get_exit_code(worst)

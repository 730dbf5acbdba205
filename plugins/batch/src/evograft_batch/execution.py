"""A batch at work: its folder, its runs, its signals and how it ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evograft.cli_kit.console import Style
from evograft.cli_kit.signals import ending_signals
from evograft.config.user_settings import load_settings
from evograft.runs.writer_lock import WriterLock
from evograft_batch.folder import BatchFolder, find_batch_folder, make_batch_folder, require_same
from evograft_batch.jobs.job import COMPLETE, INTERRUPTED, BatchJob
from evograft_batch.jobs.job_runner import JobRunner, find_worst, get_exit_code
from evograft_batch.jobs.progress import BatchProgress
from evograft_batch.plan.batch_file import BatchFile
from evograft_batch.plan.matrix import PlannedRun, check_runs, plan_runs
from evograft_batch.results.run_results import RunRow, read_earlier_endings, save_results

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


@dataclass(frozen=True)
class EndedBatch:
    """A batch whose runs have ended, or were stopped."""

    folder: BatchFolder
    jobs: Sequence[BatchJob]
    was_stopped: bool

    @property
    def rows(self) -> list[RunRow]:
        """Return the results, a row for each run."""
        return [job.to_row() for job in self.jobs]

    @property
    def exit_code(self) -> int:
        worst = find_worst(self.jobs)
        if self._complete == len(self.jobs):
            return 0
        return INTERRUPTED if self.was_stopped or worst is None else get_exit_code(worst)

    def describe_rest(self) -> Iterator[str]:
        """Describe what is not complete, and how to go on with it."""
        if self._complete == len(self.jobs):
            return
        worst = find_worst(self.jobs)
        if worst is not None and worst.state == "failed":
            assert worst.ending is not None, "it has failed"
            yield f"worst: {worst.name} with exit code {worst.ending.exit_code}; see {worst.output}"
        rest = f"{self._complete} of {len(self.jobs)} runs are complete"
        yield f"{rest}; go on with: {self.folder.resume}"

    @property
    def _complete(self) -> int:
        return sum(job.state == "complete" for job in self.jobs)


def run_batch(
    folder: BatchFolder, planned: Sequence[PlannedRun], *, parallel: int, mode: Style | None = None
) -> EndedBatch:
    """Run everything in a batch until all runs have ended.

    Args:
        folder: of the batch; nobody else works on it meanwhile.
        planned: its runs.
        parallel: how many runs are worked on at a time.
        mode: how progress is shown; `None`: as the user's settings say.
    """
    with WriterLock(folder.path):
        endings = read_earlier_endings(folder)
        jobs = [BatchJob(run, folder, ending=endings.get(run.name)) for run in planned]
        folder.write_pipelines(planned)
        for job in jobs:
            job.refresh()
        runner = JobRunner(jobs, parallel=parallel)
        with BatchProgress(mode or load_settings().progress, jobs) as progress:
            progress.say(f"batch {folder.path.name} in {folder.path}: {len(jobs)} runs, {parallel} at a time")
            _run_jobs(runner, folder, jobs, progress)
        return EndedBatch(folder, jobs, runner.is_stopping)


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

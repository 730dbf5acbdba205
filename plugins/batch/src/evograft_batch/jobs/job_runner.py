"""Working on the runs of a batch, some at a time."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence

from evograft_batch.jobs.job import COMPLETE, INTERRUPTED, BatchJob

OUTSIDE = 4
WORST_FIRST = (1, OUTSIDE, 3, 2, INTERRUPTED)
"""A bug comes first, then what the user can fix, then interrupted runs, which only need resuming."""


class JobRunner:
    """Starts runs, notes who has ended, and stops all of them together."""

    def __init__(self, jobs: Sequence[BatchJob], *, parallel: int) -> None:
        self._parallel = parallel
        self._to_do = [job for job in jobs if job.ending != COMPLETE]
        self.at_work: list[BatchJob] = []
        self.is_stopping = False

    @property
    def is_done(self) -> bool:
        return not self.at_work and (self.is_stopping or not self._to_do)

    def take_ended(self) -> list[BatchJob]:
        """Return the jobs that have ended since this was last asked."""
        ended = [job for job in self.at_work if job.has_ended()]
        self.at_work = [job for job in self.at_work if job not in ended]
        return ended

    def start_next(self) -> Iterator[BatchJob]:
        """Start runs while there is room; a run that somebody else still works on waits until that is done."""
        for job in list(self._to_do):
            if self.is_stopping or len(self.at_work) >= self._parallel:
                return
            if not job.is_written_by_others:
                job.start()
                self._to_do.remove(job)
                self.at_work.append(job)
                yield job

    def stop(self, number: int) -> None:
        """Pass a signal on and start no further run."""
        self.is_stopping = True
        for job in self.at_work:
            job.signal(number)

    def close(self) -> None:
        """Leave no process behind, whatever went wrong."""
        for job in self.at_work:
            job.signal(signal.SIGTERM)
        for job in self.at_work:
            job.close()


def find_worst(jobs: Sequence[BatchJob]) -> BatchJob | None:
    """Return the job that ended worst; `None` if all are complete or were not begun."""
    ended = [job for job in jobs if job.ending not in (None, COMPLETE)]
    return min(ended, key=lambda job: WORST_FIRST.index(get_exit_code(job)), default=None)


def get_exit_code(job: BatchJob) -> int:
    """Return a job's end as an exit code of `evo`.

    A job that was killed counts as stopped by something outside.
    """
    code = job.ending.exit_code if job.ending else INTERRUPTED
    return code if code in (0, *WORST_FIRST) else OUTSIDE

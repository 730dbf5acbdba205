"""Progress of a batch while it works: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from evograft.cli_kit.console import Display, Style
from evograft_batch.jobs.job import BatchJob
from evograft_batch.results.run_results import RunRow

if TYPE_CHECKING:
    from rich.table import Table

LIVE_EVERY = 1.0
PLAIN_EVERY = 10.0


class BatchProgress:
    """Shows runs as they start and end, and how those stand that are being worked on."""

    def __init__(self, style: Style, jobs: Sequence[BatchJob]) -> None:
        self._display = Display(style)
        self._every = LIVE_EVERY if self._display.is_live else PLAIN_EVERY
        self._jobs = jobs
        self._due = time.monotonic() + self._every

    def __enter__(self) -> Self:
        self._display.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self._display.__exit__(*exc)

    def started(self, job: BatchJob) -> None:
        self.say(f"started      {job.name}")

    def ended(self, job: BatchJob) -> None:
        row = job.to_row()
        self.say(f"{row.state:12} {_line(row)}{f'  exit code {row.exit_code}: {row.error}' if row.error else ''}")

    def show(self, at_work: Sequence[BatchJob]) -> None:
        """Look at the runs in progress and show them, at intervals."""
        if time.monotonic() < self._due or self._display.is_quiet:
            return
        self._due = time.monotonic() + self._every
        for job in at_work:
            job.refresh()
        rows = [job.to_row() for job in at_work]
        if self._display.is_live:
            self._display.move(self._table(rows))
            return
        for row in rows:
            self.say(f"{row.state:12} {_line(row)}")
        if not rows:
            self.say("waiting      other processes are working on the runs that are left")

    def say(self, line: str) -> None:
        self._display.say(line)

    def _table(self, rows: Sequence[RunRow]) -> Table:
        from rich.table import Table

        counts = Counter(job.state for job in self._jobs)
        table = Table(box=None, caption=", ".join(f"{count} {state}" for state, count in counts.items()))
        for title in ("running", "trials", "best", "elapsed"):
            table.add_column(title)
        for row in rows:
            table.add_row(row.run, trials_text(row), score_text(row.best_score), f"{row.elapsed:g} s")
        return table


def _line(row: RunRow) -> str:
    return f"{row.run}: {trials_text(row)} trials, best {score_text(row.best_score) or 'none yet'}"


def trials_text(row: RunRow) -> str:
    return f"{row.trials}/{row.limit}" if row.limit else str(row.trials)


def score_text(score: float | None) -> str:
    return "" if score is None else f"{score:.6g}"

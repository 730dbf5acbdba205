"""What a batch shows while it works: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, Self

import click

from evograft.batch.job import Job
from evograft.batch.results import Row

LIVE_EVERY = 1.0
PLAIN_EVERY = 10.0


class BatchProgress:
    """Shows runs as they start and end, and how those stand that are being worked on."""

    def __init__(self, style: Literal["auto", "live", "plain", "quiet"], jobs: Sequence[Job]) -> None:
        self._style = ("live" if sys.stderr.isatty() else "plain") if style == "auto" else style
        self._every = LIVE_EVERY if self._style == "live" else PLAIN_EVERY
        self._jobs = jobs
        self._display: Any = None
        self._due = time.monotonic() + self._every

    def __enter__(self) -> Self:
        if self._style == "live":
            from rich.console import Console
            from rich.live import Live

            self._display = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._display.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._display is not None:
            self._display.__exit__(*exc)

    def started(self, job: Job) -> None:
        self.say(f"started      {job.name}")

    def ended(self, job: Job) -> None:
        row = job.to_row()
        self.say(f"{row.state:12} {_line(row)}{f'  exit code {row.exit_code}: {row.error}' if row.error else ''}")

    def show(self, at_work: Sequence[Job]) -> None:
        """Looks at the runs that are being worked on and shows them, once in a while."""
        if time.monotonic() < self._due or self._style == "quiet":
            return
        self._due = time.monotonic() + self._every
        for job in at_work:
            job.look()
        rows = [job.to_row() for job in at_work]
        if self._display is not None:
            self._display.update(self._table(rows), refresh=True)
            return
        for row in rows:
            self.say(f"{row.state:12} {_line(row)}")
        if not rows:
            self.say("waiting      other processes are working on the runs that are left")

    def say(self, line: str) -> None:
        if self._display is not None:
            self._display.console.print(line, highlight=False, markup=False)
        elif self._style == "plain":
            click.echo(line, err=True)

    def _table(self, rows: Sequence[Row]) -> Any:
        from rich.table import Table

        counts = Counter(job.state for job in self._jobs)
        table = Table(box=None, caption=", ".join(f"{count} {state}" for state, count in counts.items()))
        for title in ("running", "trials", "best", "elapsed"):
            table.add_column(title)
        for row in rows:
            table.add_row(row.run, trials_text(row), score_text(row.best_score), f"{row.elapsed:g} s")
        return table


def _line(row: Row) -> str:
    return f"{row.run}: {trials_text(row)} trials, best {score_text(row.best_score) or 'none yet'}"


def trials_text(row: Row) -> str:
    return f"{row.trials}/{row.limit}" if row.limit else str(row.trials)


def score_text(score: float | None) -> str:
    return "" if score is None else f"{score:.6g}"

"""A run of a batch, and the process that works on it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from evograft.errors import EvograftError, ServiceError
from evograft.log.records import FinalEvaluation
from evograft.runs.lock_file import LOCK_FILE
from evograft.runs.reader import open_journal
from evograft.runs.status import RunStatus, Watcher, watching
from evograft.runs.storage import writer_of
from evograft_batch.folder import BatchFolder
from evograft_batch.plan.matrix import PlannedRun
from evograft_batch.results.run_results import Ending, RunRow, RunState
from evograft_hookspecs.values import thaw

INTERRUPTED = 130
COMPLETE = Ending(0)


class BatchJob:
    """One run: whatever becomes of its process, the batch and the other runs continue.

    Args:
        ending: how an earlier process of it ended, if there was one.
    """

    def __init__(self, run: PlannedRun, folder: BatchFolder, *, ending: Ending | None) -> None:
        self.name = run.name
        self.path = folder.run(run.name)
        self.output = folder.output(run.name)
        self.ending = ending if (self.path / LOCK_FILE).exists() else None
        self._planned = run
        self._pipeline = folder.pipeline(run.name)
        self._process: subprocess.Popen[bytes] | None = None
        self._printed_before = 0
        self._final_score: float | None = None
        self._status: RunStatus | None = None
        self._watcher: Watcher | None = None
        self._log = contextlib.ExitStack()

    @property
    def state(self) -> RunState:
        if self._process is not None:
            return "running"
        if self.ending is None:
            return "waiting"
        if self.ending.exit_code == INTERRUPTED:
            return "interrupted"
        return "failed" if self.ending.exit_code else "complete"

    @property
    def is_written_by_others(self) -> bool:
        """Whether somebody works on it, such as what is left for seconds of a batch that was killed."""
        return self._process is None and writer_of(self.path) is not None

    def start(self) -> None:
        """Start the run, or resume it."""
        goes_on = (self.path / LOCK_FILE).exists()
        words = ("resume", self.path) if goes_on else ("run", self._pipeline, "--run-dir", self.path)
        command = [sys.executable, "-P", "-m", "evograft_batch.child_main", str(os.getpid()), *map(str, words)]
        try:
            with self.output.open("ab") as output:
                self._printed_before = output.tell()
                # In a session of its own, so that Ctrl-C reaches it once, through the batch.
                self._process = subprocess.Popen(  # noqa: S603 - our own command
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
                )
        except OSError as err:
            raise ServiceError(f"cannot start run {self.name}: {err}") from err
        self.ending = None

    def has_ended(self) -> bool:
        """Return whether its process has ended since this was last asked."""
        code = None if self._process is None else self._process.poll()
        if code is None:
            return False
        self._process = None
        self.ending = _read_ending(code, self._last_error())
        self.refresh()
        return True

    def signal(self, number: int) -> None:
        """Pass a signal on to its process."""
        if self._process is not None:
            self._process.send_signal(number)

    def close(self) -> None:
        """Wait until its process, if there is one, has ended."""
        if self._process is not None:
            self._process.wait()
        self._log.close()

    def refresh(self) -> None:
        """Read what is new in the run's log, if there is a log that can be read."""
        with contextlib.suppress(EvograftError):
            self._watcher = self._watcher or self._log.enter_context(watching(self.path))
            self._status = self._watcher.look()
            if self._status.judged and self._process is None:
                self._final_score = _read_final_score(self.path)
        if self._process is None:
            self._watcher = None
            self._log.close()

    def to_row(self) -> RunRow:
        """Return how the run stood at the last look."""
        combination, status = self._planned.combination, self._status
        row = RunRow(
            run=self.name,
            problem=combination.problem,
            settings=thaw(combination.settings),
            seed=self._planned.pipeline.seed,
            state=self.state,
            limit=self._planned.pipeline.budget.trials,
            exit_code=self.ending.exit_code if self.ending else None,
            error=self.ending.error if self.ending else "",
        )
        if status is None:
            return row
        shared = ("trials", "limit", "best_score", "elapsed", "prompt_tokens", "completion_tokens", "dollars")
        return replace(row, final_score=self._final_score, **{name: getattr(status, name) for name in shared})

    def _last_error(self) -> str:
        """Return the last error of its process, or at least the last thing it printed."""
        with self.output.open("rb") as output:
            output.seek(self._printed_before)
            lines = [line.strip() for line in output.read().decode(errors="replace").splitlines() if line.strip()]
        said = [line for line in lines if line.startswith(("Error: ", "Bug in evograft: "))]
        return (said or lines or [""])[-1].removeprefix("Error: ")


def _read_ending(code: int, error: str) -> Ending:
    if code in (INTERRUPTED, -signal.SIGINT, -signal.SIGTERM):
        return Ending(INTERRUPTED)  # by a signal when it did not listen yet, or by a second one
    if code < 0:
        return Ending(128 - code, f"killed by {signal.Signals(-code).name}")
    return Ending(code, error if code else "")


def _read_final_score(folder: Path) -> float | None:
    with open_journal(folder) as journal:
        judged = [aside for aside in journal.controls() if isinstance(aside, FinalEvaluation)]
    return judged[-1].evaluation.score

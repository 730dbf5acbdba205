"""What a run costs as it goes on: CPU time and files at each tenth of its commits."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import Any

from evograft.plugin.loading import ActivePlugin
from evograft.runs.lock_file import RunFolder
from evograft.session.session import open_session
from evograft_hookspecs import CONTRACT, Event, Manifest, TrialCommitted, hookimpl


class Clock:
    """Observes a run."""

    def __init__(self, trials: int, folder: Path) -> None:
        self.marks: list[float] = [time.process_time()]
        self.commits = self.files = 0
        self._every = trials // 10
        self._folder = folder

    @hookimpl
    def observe(self, event: Event) -> None:
        if isinstance(event, TrialCommitted):
            self.commits += 1
            if self.commits % self._every == 0:
                self.marks.append(time.process_time())
                self.files = max(self.files, len(list(self._folder.iterdir())))


def timed(run: RunFolder, trials: int) -> dict[str, Any]:
    """Carries a run out, and says what it cost: seconds, megabytes, and CPU of the first and last tenth."""
    clock = Clock(trials, run.path)
    observer = ActivePlugin("clock", clock, Manifest(name="clock", contract=CONTRACT, thread_safe=True), "benchmark")
    wall, cpu = time.perf_counter(), time.process_time()
    with open_session(run, observers=[observer]) as kernel:
        kernel.run()
    tenths = [after - before for before, after in zip(clock.marks, clock.marks[1:], strict=False)]
    return {
        "trials": clock.commits,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "first": tenths[0],
        "second": tenths[1],
        "last": tenths[-1],
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "files": clock.files,
    }

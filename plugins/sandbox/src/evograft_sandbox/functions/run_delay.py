"""How long a process has waited for a core, so that a limit on wall time need not count it."""

from __future__ import annotations

import functools
import os
import time
from pathlib import Path

UNCOUNTED = 10
"""Where the kernel does not count waiting, wall limits are this many times as long."""
NANOSECOND = 1e-9


class PatientClock:
    """Wall time of a process, without the time in which it was ready to run and others had the cores."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._seconds = seconds if counts_waiting() else UNCOUNTED * seconds
        self._started = time.monotonic()

    def left(self) -> float:
        """Return the seconds until the limit, if it does not wait again."""
        elapsed = time.monotonic() - self._started
        return self._seconds - elapsed + read_run_delay(self._pid)


def read_run_delay(pid: int) -> float:
    """Return seconds; 0 if the kernel does not count them, or the process is gone."""
    try:
        _, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0
    return int(waited) * NANOSECOND


@functools.cache
def counts_waiting() -> bool:
    """Return whether the kernel counts it at all: this process has run, so it has some time if it does."""
    try:
        return not Path(f"/proc/{os.getpid()}/schedstat").read_text().startswith("0 ")
    except OSError:
        return False

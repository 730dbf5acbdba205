"""Resource limits, set in each child: processor time counts from its fork, memory from what it then maps."""

from __future__ import annotations

import math
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from evograft_sandbox.functions import libc

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Rlimits:
    cpu_seconds: float
    memory_mb: int
    name: str = "rlimits"

    @property
    def detail(self) -> str:
        return (
            f"{self.cpu_seconds:g} s of CPU, {self.memory_mb} MB, no new descriptors, no files, "
            "no processes (unless root), no core dump"
        )

    def apply(self) -> None:
        # Counted in ticks, so it stands behind the timer: for what gets rid of that where seccomp is missing.
        _limit(resource.RLIMIT_CPU, 2 * math.ceil(self.cpu_seconds))
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_FSIZE, 0)
        _limit(resource.RLIMIT_NPROC, 0)
        mapped = _mapped_bytes()
        if mapped:
            _limit(resource.RLIMIT_AS, mapped + self.memory_mb * MEGABYTE)
        # No number is free for a new descriptor: no file, socket or pipe, even without the other layers.
        _limit(resource.RLIMIT_NOFILE, 0)
        _end_after_cpu(self.cpu_seconds)


def _end_after_cpu(seconds: float) -> None:
    """End this process at the fraction of a second, in C code as well."""
    try:
        libc.kill_after_cpu(seconds)
    except (OSError, AttributeError):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit(kind: int, value: int) -> None:
    """Lower a limit for good; a stricter one stays."""
    _, highest = resource.getrlimit(kind)
    value = value if highest == resource.RLIM_INFINITY else min(value, highest)
    resource.setrlimit(kind, (value, value))


def _mapped_bytes() -> int:
    """Return what this process maps; 0 if there is no way to know, and so no limit on memory."""
    if sys.platform != "linux":
        return 0
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()

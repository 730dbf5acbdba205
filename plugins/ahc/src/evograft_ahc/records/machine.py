"""How the machine stands that a session runs on."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

LITTLE_MEMORY = 0.05
"""The share from which on what is left is little."""
LITTLE_DISK_MB, FULL_DISK_MB = 2000, 300
"""From which on what is left is little; and from which on a session is stopped while it can still be written to."""
MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True)
class MachineStatus:
    """At a moment."""

    load: float
    """Of the last minute: how many processes waited for a core, or had one."""
    cores: int
    free_memory: float | None
    """As a share of all; `None`: the system does not say."""
    free_disk_mb: int
    """Where the session lies."""

    @property
    def is_short(self) -> bool:
        """Whether memory or disk are nearly used up."""
        is_low = self.free_memory is not None and self.free_memory < LITTLE_MEMORY
        return self.free_disk_mb < LITTLE_DISK_MB or is_low

    @property
    def is_full(self) -> bool:
        """Whether the session is to be stopped."""
        return self.free_disk_mb < FULL_DISK_MB


def measure_machine(folder: Path) -> MachineStatus:
    """Measure how it stands now, with the disk of a folder."""
    return MachineStatus(
        load=round(os.getloadavg()[0], 2),
        cores=len(os.sched_getaffinity(0)),
        free_memory=_free_memory(),
        free_disk_mb=shutil.disk_usage(folder).free // 1_000_000,
    )


def _free_memory() -> float | None:
    try:
        text = MEMORY.read_text(encoding="utf-8")
    except OSError:
        return None
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE))
    if "MemAvailable" not in sizes or "MemTotal" not in sizes:
        return None
    return round(int(sizes["MemAvailable"]) / int(sizes["MemTotal"]), 3)

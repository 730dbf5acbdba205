"""How the machine stands that a session runs on."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

LITTLE = 0.05
"""The share of memory, or of the disk, from which on what is left is little."""
MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True)
class Machine:
    """At a moment."""

    load: float
    """Of the last minute: how many processes waited for a core, or had one."""
    cores: int
    free_memory: float | None
    """As a share of all; `None`: the system does not say."""
    free_disk: float
    """As a share of all, where the session lies."""

    @property
    def is_short(self) -> bool:
        """Whether memory or disk are nearly used up."""
        return self.free_disk < LITTLE or (self.free_memory is not None and self.free_memory < LITTLE)


def look_at_machine(folder: Path) -> Machine:
    """How it stands now, with the disk of a folder."""
    usage = shutil.disk_usage(folder)
    return Machine(
        load=round(os.getloadavg()[0], 2),
        cores=len(os.sched_getaffinity(0)),
        free_memory=_free_memory(),
        free_disk=round(usage.free / usage.total, 3),
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

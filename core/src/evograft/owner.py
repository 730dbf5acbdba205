"""Whose a container is, so that one whose process is dead can be told from one that is at work."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Owner:
    """A process, told from all that had or will have its number."""

    host: str
    boot: str
    pid: int
    started: int
    """In ticks since the boot."""

    @classmethod
    def current(cls) -> Owner:
        pid = os.getpid()
        return cls(socket.gethostname(), _boot(), pid, _started(pid) or 0)

    @classmethod
    def from_label(cls, label: str) -> Owner:
        """Reads what `to_label` wrote; ValueError for anything else."""
        host, boot, pid, started = label.rsplit(" ", 3)
        return cls(host, boot, int(pid), int(started))

    def to_label(self) -> str:
        return f"{self.host} {self.boot} {self.pid} {self.started}"

    def is_gone(self) -> bool:
        """Whether it is certain that the process has ended: of another machine nothing is."""
        if self.host != socket.gethostname():
            return False
        return self.boot != _boot() or _started(self.pid) != self.started


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _started(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command's name, in parentheses, may itself hold parentheses and spaces.
    return int(status.rpartition(")")[2].split()[19])

"""The owner of a container, so that one whose process is dead can be distinguished from one at work."""

from __future__ import annotations

import calendar
import contextlib
import functools
import os
import re
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 10.0


@dataclass(frozen=True)
class ProcessOwner:
    """A process, distinguished from all that had or will have its number."""

    host: str
    boot: str
    pid: int
    started: int
    """In ticks since the boot, or in seconds since 1970 where there is no /proc; 0: nothing tells."""

    @classmethod
    def current(cls) -> ProcessOwner:
        pid = os.getpid()
        return cls(socket.gethostname(), _boot(), pid, _started(pid) or 0)

    @classmethod
    def from_label(cls, label: str) -> ProcessOwner:
        """Read what `to_label` wrote; raise ValueError for anything else."""
        host, boot, pid, started = label.rsplit(" ", 3)
        return cls(host, boot, int(pid), int(started))

    def to_label(self) -> str:
        return f"{self.host} {self.boot} {self.pid} {self.started}"

    def is_gone(self) -> bool:
        """Return whether it is certain that the process has ended: of another machine nothing is."""
        if self.host != socket.gethostname():
            return False
        if self.boot != _boot():
            return True
        return _started(self.pid) != self.started if self.started else not _is_there(self.pid)


def is_orphaned(label: str) -> bool:
    """Return whether a label names a process that has certainly ended; what no process of ours wrote names none."""
    try:
        return ProcessOwner.from_label(label).is_gone()
    except ValueError:
        return False


@functools.cache
def _boot() -> str:
    """Return what identifies the current boot of the machine; empty if nothing here tells."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    # Systems without /proc: macOS has the first, the BSDs the second, which begins with `{ sec = 1700000000,`.
    session = _said_by("sysctl", "-n", "kern.bootsessionuuid")
    return session or next(iter(re.findall(r"\d+", _said_by("sysctl", "-n", "kern.boottime"))), "")


def _started(pid: int) -> int | None:
    """Return when a process was started; `None` if it is gone, or nothing here tells."""
    return _ticks(pid) if Path("/proc/self/stat").exists() else _seconds(pid)


def _ticks(pid: int) -> int | None:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command's name, in parentheses, may itself hold parentheses and spaces.
    return int(status.rpartition(")")[2].split()[19])


def _seconds(pid: int) -> int | None:
    try:
        return calendar.timegm(time.strptime(_said_by("ps", "-o", "lstart=", "-p", str(pid)), "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return None


def _said_by(*command: str) -> str:
    """Return what a program of the system prints; nothing if it does not exist or fails."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC0"}
    try:
        done = subprocess.run(  # noqa: S603 - of the system
            command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""No process is left: children die with their worker, and the worker adopts and kills what a child leaves."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evograft_sandbox.functions import libc


@dataclass(frozen=True)
class ProcessCleanup:
    worker: int
    name: str = "reaper"
    detail: str = "children die with their worker; detached processes are adopted and killed"

    def apply(self) -> None:
        """Tie this child's life to the worker; after a change of user, which would undo it."""
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self.worker:
            raise OSError(errno.ESRCH, "the worker is gone")


def prepare_process_cleanup() -> ProcessCleanup:
    libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    return ProcessCleanup(os.getpid())


def kill_group(pid: int) -> None:
    """Kill a process and its group at once.

    No fork of the group gets away, because the kernel looks at all of it.
    """
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def kill_leftovers() -> None:
    """Kill and reap every descendant of this process; one system call if there is none."""
    while _has_children():
        for pid in _descendants(os.getpid()):
            kill_group(pid)


def kill_marked(marker: str) -> None:
    """Kill what was started with this text in its environment; for descendants of a worker that is dead."""
    for entry in _processes():
        with contextlib.suppress(OSError):
            if marker.encode() in (entry / "environ").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)


def _has_children() -> bool:
    """Return whether children are left, and reap the dead ones on the way."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(root, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for entry in _processes():
        with contextlib.suppress(OSError):
            # The command's name, in parentheses, may itself hold parentheses and spaces.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            yield int(entry.name), int(fields[1])


def _processes() -> Iterator[Path]:
    proc = Path("/proc")
    return (entry for entry in proc.iterdir() if entry.name.isdecimal()) if proc.is_dir() else iter(())

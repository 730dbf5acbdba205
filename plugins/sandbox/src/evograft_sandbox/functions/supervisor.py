"""Watches over one candidate's process: bounds its time and its answer, and leaves nothing of it behind."""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import select
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evograft_sandbox.functions.process_cleanup import kill_group, kill_leftovers

LOOK_SECONDS = 0.5
"""How often the caller is notified that a candidate still runs."""
UNCOUNTED = 10
"""Where the kernel does not count how long a process waits for a core, wall limits are this many times as long."""
NANOSECOND = 1e-9

Ending = Literal["exit", "wall", "flood"]


class Orphaned(Exception):  # noqa: N818 - it says what happened
    """The caller is gone or has hung up while a candidate was running."""


@dataclass(frozen=True)
class ChildOutcome:
    """How a candidate's process ended, and what it wrote."""

    ending: Ending
    """`wall`: killed when its time was up; `flood`: killed because it wrote more than any frame has."""
    status: int
    """Its exit code; negative: the signal that ended it."""
    cpu_seconds: float
    written: bytes


def run_child(
    body: Callable[[int], None],
    *,
    wall_seconds: float,
    max_bytes: int,
    hangup_fds: Collection[int],
    still_running: Callable[[], None],
) -> ChildOutcome:
    """Run `body(result_fd)`, which must not return, in a child, and kill everything that is left of it.

    Args:
        body: what the child does; it makes itself the leader of a process group.
        wall_seconds: after these, without waiting for a core, it is killed with its process group.
        max_bytes: how much it may write.
        hangup_fds: descriptors that become readable when nobody waits for the answer any more.
        still_running: called at intervals until it ends.

    Raises:
        Orphaned: one of `hangup_fds` did; the child is dead.
    """
    read_fd, write_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        body(write_fd)
    os.close(write_fd)
    try:
        clock = _PatientClock(pid, wall_seconds)
        ending, written = _listen(pid, read_fd, clock, max_bytes, hangup_fds, still_running)
    finally:
        os.close(read_fd)
        status, usage = _end(pid)
    return ChildOutcome(ending, status, usage.ru_utime + usage.ru_stime, written)


def _listen(
    pid: int,
    read_fd: int,
    clock: _PatientClock,
    max_bytes: int,
    hangup_fds: Collection[int],
    still_running: Callable[[], None],
) -> tuple[Ending, bytes]:
    """Collect what the child writes, until it exits.

    Its end is watched apart from the pipe, whose other end a process that it started may hold open.
    """
    os.set_blocking(read_fd, False)
    written = bytearray()
    with _exit_descriptor(pid) as exit_fds:
        poll = select.poll()
        for fd in (read_fd, *exit_fds, *hangup_fds):
            poll.register(fd, select.POLLIN)
        while (left := clock.left()) > 0:
            ready = {fd for fd, _ in poll.poll(1000 * min(left, LOOK_SECONDS))}
            if ready & set(hangup_fds):
                raise Orphaned
            ended = _drain(read_fd, written, max_bytes) or not ready.isdisjoint(exit_fds)
            if len(written) > max_bytes:
                return "flood", b""
            if ended:
                return "exit", bytes(written)
            still_running()
        return "wall", b""


def _drain(read_fd: int, written: bytearray, max_bytes: int) -> bool:
    """Take what is there; return whether the pipe is closed."""
    while len(written) <= max_bytes:
        try:
            chunk = os.read(read_fd, max_bytes + 1 - len(written))
        except BlockingIOError:
            return False
        if not chunk:
            return True
        written += chunk
    return False


@contextlib.contextmanager
def _exit_descriptor(pid: int) -> Iterator[tuple[int, ...]]:
    """Return a descriptor that becomes readable when the process ends; none on systems without pidfds."""
    try:
        fd = os.pidfd_open(pid)
    except (OSError, AttributeError):
        yield ()
        return
    try:
        yield (fd,)
    finally:
        os.close(fd)


def _end(pid: int) -> tuple[int, resource.struct_rusage]:
    # The exit code of a process that ends by itself is settled before its pipe closes: the kill cannot change it.
    kill_group(pid)
    _, status, usage = os.wait4(pid, 0)
    kill_leftovers()
    return os.waitstatus_to_exitcode(status), usage


class _PatientClock:
    """Wall time of a process, without the time in which it was ready to run and others had the cores."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._seconds = seconds if _counts_waiting() else UNCOUNTED * seconds
        self._started = time.monotonic()

    def left(self) -> float:
        """Return the seconds until the limit, if it does not wait again."""
        elapsed = time.monotonic() - self._started
        return self._seconds - elapsed + _read_run_delay(self._pid)


def _read_run_delay(pid: int) -> float:
    """Return the seconds of waiting for a core; 0 if the kernel does not count them, or the process is gone."""
    try:
        _, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):
        return 0.0
    return int(waited) * NANOSECOND


@functools.cache
def _counts_waiting() -> bool:
    """Return whether the kernel counts waiting at all: this process has run, so it has some time if it does."""
    try:
        return not Path(f"/proc/{os.getpid()}/schedstat").read_text().startswith("0 ")
    except OSError:
        return False

"""Traces of evaluations that began on this machine: by what is left of them, whom a dead worker's task is to blame for.

A worker that vanishes tells nobody why. What its task began with is written down next to it, so that the next process
that evaluates on the same machine finds it: if the worker's process is gone while the process that started it is still
there, the evaluation has ended the worker. If that one is gone as well, a node was taken away, a job reached its end,
or somebody ended all of it, and the candidate is innocent.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from contextlib import suppress
from pathlib import Path

from evograft_cluster.worker.own_folder import ensure_own_folder

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_STARTED_FIELD = 19
"""Of `/proc/PID/stat` behind the name: when the process started, in ticks since the machine did."""
_counter = itertools.count()


class Trace:
    """The trace of one evaluation, there from its beginning to its end."""

    def __init__(self, evaluation: str) -> None:
        self._path = ensure_own_folder("traces") / f"{_prefix(evaluation)}{os.getpid()}-{next(_counter)}"

    def begin(self) -> None:
        """Write down who evaluates, and who started that process."""
        own, parent = os.getpid(), os.getppid()
        data = {"boot": _boot(), "worker": [own, _start_of(own)], "parent": [parent, _start_of(parent)]}
        self._path.write_text(json.dumps(data), encoding="utf-8")

    def end(self) -> None:
        self._path.unlink(missing_ok=True)


def take_dead(evaluation: str) -> bool:
    """Look for a trace of an earlier attempt that has ended its worker, and remove it.

    Returns:
        Whether there was one. One that was left by a node that went away is removed, too, and not counted.
    """
    return any(_take(path) for path in sorted(ensure_own_folder("traces").glob(f"{_prefix(evaluation)}*")))


def _take(path: Path) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        worker, parent = data["worker"], data["parent"]
        if data["boot"] == _boot() and _is_alive(*worker):
            return False
        path.unlink()
    except (OSError, ValueError, KeyError, TypeError):
        return False  # another process took it, or its worker died while it was written
    return data["boot"] == _boot() and _is_alive(*parent)


def _is_alive(process: int, started: int) -> bool:
    return started != 0 and _start_of(process) == started


def _start_of(process: int) -> int:
    """Return when a process started; 0 if there is none, or only what is left of one that has ended."""
    with suppress(OSError, ValueError, IndexError):
        state, *fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return 0 if state in "ZX" else int(fields[_STARTED_FIELD - 1])
    return 0


def _boot() -> str:
    with suppress(OSError):
        return BOOT_ID.read_text(encoding="utf-8").strip()
    return ""


def _prefix(evaluation: str) -> str:
    return f"{hashlib.blake2b(evaluation.encode(), digest_size=12).hexdigest()}-"

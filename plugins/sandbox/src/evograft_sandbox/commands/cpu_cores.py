"""Cores of this machine that are kept to one session each, whichever process it belongs to."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def reserve_core() -> Iterator[int | None]:
    """Reserve a core that no other session keeps; `None` if there is only one core, or no other is left."""
    # Systems without such a call, such as macOS, do not let a process choose its core.
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    locks = (_try_lock(core) for core in cores if len(cores) > 1)
    core, lock = next(
        ((core, lock) for core, lock in zip(cores, locks, strict=False) if lock is not None), (None, None)
    )
    try:
        yield core
    finally:
        if lock is not None:
            os.close(lock)


def lock_folder() -> Path:
    """Return where the locks of this user are."""
    return Path(tempfile.gettempdir()) / f"evograft-cores-{os.getuid()}"


def _try_lock(core: int) -> int | None:
    """Lock a file, which worker processes and other runs of this user see as well."""
    folder = lock_folder()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # somebody else made the folder, or nothing can be written to it: a session goes without
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock

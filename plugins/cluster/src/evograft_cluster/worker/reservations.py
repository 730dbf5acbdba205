"""Cores and GPUs of this machine that one evaluation has to itself, whichever process evaluates it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable

from evograft_cluster.requirements import EvaluationResources, find_gpus
from evograft_cluster.worker.own_folder import ensure_own_folder


class Reservation:
    """Cores and GPUs that are held by locks of the system, which end with this process, however it ends."""

    def __init__(self) -> None:
        self._held: list[int] = []

    def take(self, kind: str, of: Iterable[str], count: int) -> tuple[str, ...]:
        """Lock a given number of named things that nobody holds; take none and return none if there are fewer."""
        taken: dict[str, int] = {}
        for name in of:
            if len(taken) == count:
                break
            if (lock := _lock(f"{kind}-{name}")) is not None:
                taken[name] = lock
        if len(taken) < count:
            _release(taken.values())
            return ()
        self._held.extend(taken.values())
        return tuple(taken)

    def release(self) -> None:
        _release(self._held)
        self._held = []


def take_cores(reservation: Reservation, resources: EvaluationResources) -> frozenset[int]:
    """Reserve the cores of an evaluation; empty: too few are free."""
    usable = map(str, sorted(os.sched_getaffinity(0)))
    return frozenset(map(int, reservation.take("core", usable, resources.cores)))


def take_gpus(reservation: Reservation, resources: EvaluationResources) -> tuple[str, ...]:
    """Reserve the GPUs of an evaluation; empty: too few are free, or it needs none."""
    return reservation.take("gpu", find_gpus(), resources.gpu) if resources.gpu else ()


def _lock(name: str) -> int | None:
    descriptor = os.open(
        ensure_own_folder("reserved") / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _release(locks: Iterable[int]) -> None:
    for lock in locks:
        os.close(lock)

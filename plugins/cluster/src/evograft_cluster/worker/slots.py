"""The processes in which a worker evaluates: each has built the plugins of a run once, and keeps them."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from evograft.cpu_dispatch import portable_environment
from evograft.drivers.executor.processes import Slot
from evograft.errors import ServiceError
from evograft_cluster.requirements import EvaluationResources
from evograft_cluster.worker.reservations import Reservation, take_cores, take_gpus
from evograft_hookspecs import Evaluator


class PinnedSlot:
    """A slot whose process has cores and GPUs to itself.

    Raises:
        ServiceError: too few GPUs are free.
    """

    def __init__(self, remote: bytes, resources: EvaluationResources) -> None:
        self._reservation = Reservation()
        gpus = take_gpus(self._reservation, resources)
        if len(gpus) < resources.gpu:
            raise ServiceError(f"too few GPUs are free: an evaluation needs {resources.gpu}")
        cores = take_cores(self._reservation, resources)
        self.is_pinned = bool(cores)
        visible = {"CUDA_VISIBLE_DEVICES": ",".join(gpus)} if gpus else {}
        # Workers are started by the commands of their cluster, so that nothing has limited what their CPU computes.
        environment = portable_environment({**os.environ, **visible})
        self.slot = Slot(partial(_build, remote), environment=environment, cores=cores)

    def close(self) -> None:
        self.slot.close()
        self._reservation.release()


class RunSlots:
    """The slots of one run: as many as it has evaluations here at a time."""

    def __init__(self, remote: bytes, resources: EvaluationResources) -> None:
        self._remote = remote
        self._resources = resources
        self._free: list[PinnedSlot] = []
        self._lock = threading.Lock()

    @contextmanager
    def borrow(self) -> Iterator[PinnedSlot]:
        """Lend a slot for one evaluation."""
        with self._lock:
            pinned = self._free.pop() if self._free else None
        pinned = pinned or PinnedSlot(self._remote, self._resources)
        try:
            yield pinned
        finally:
            with self._lock:
                self._free.append(pinned)

    def close_idle(self) -> None:
        """End the processes that evaluate nothing at the moment."""
        with self._lock:
            idle, self._free = self._free, []
        for pinned in idle:
            pinned.close()


def _build(remote: bytes) -> Evaluator:
    build = pickle.loads(remote)  # noqa: S301 - from the run itself, whose code this worker runs anyway
    evaluator: Evaluator = build()
    return evaluator

"""The driver `futures`: evaluations on any executor of `concurrent.futures`, named by its import path."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future
from typing import Annotated

from pydantic import Field

from evograft.errors import ServiceError
from evograft_cluster.coordinator.cluster_driver import ClusterExecutor, ClusterOptions
from evograft_cluster.coordinator.factories import Factory
from evograft_cluster.messages import Order, Packed
from evograft_cluster.requirements import EvaluationResources
from evograft_cluster.worker.node import evaluate


class FuturesOptions(ClusterOptions, Factory):
    """Options of the driver `futures`."""

    workers: Annotated[int, Field(strict=True, ge=1)] = Field(default_factory=lambda: os.cpu_count() or 1)
    """How many evaluations the executor runs at a time, for what is said of trials in flight; the default is the number
    of cores here."""


class FuturesEngine:
    """An executor, which is made again when it breaks."""

    state = ""
    is_deserted = False
    """An executor does not say."""

    def __init__(self, options: FuturesOptions) -> None:
        self.workers = options.workers
        self._options = options
        self._executor: Executor = options.make()

    def check(self, order: Order) -> None:
        """Its workers cannot be told apart: each looks at the first order it gets."""

    def send(self, key: str, order: str, remote: bytes, task: bytes) -> Future[Packed]:  # noqa: ARG002 - it has no keys
        try:
            return self._executor.submit(evaluate, order, remote, task)
        except RuntimeError as err:  # it broke, or was shut down
            raise ServiceError(f"{self._options.factory} takes nothing more: {err}") from err

    def restore(self) -> None:
        try:
            self._executor.submit(os.getpid).result(0)
        except TimeoutError:
            return  # it took it: only single workers were in trouble
        except Exception:  # noqa: BLE001 - whatever its trouble is, another one is made
            self._executor.shutdown(wait=False)
            self._executor = self._options.make()

    def close(self, *, abandon: bool) -> None:
        self._executor.shutdown(wait=not abandon)


class FuturesExecutor(ClusterExecutor[FuturesOptions]):
    """Parsl, mpi4py, loky, ipyparallel and others, without a line for any of them."""

    Options = FuturesOptions

    def _connect(self, resources: EvaluationResources) -> FuturesEngine:  # noqa: ARG002 - workers look themselves
        return FuturesEngine(self.options)

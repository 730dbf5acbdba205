"""The base of all drivers of clusters: options, orders, and the dispatcher between kernel and engine."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated, ClassVar, Generic, TypeVar

from pydantic import Field

from evograft_cluster.coordinator.dispatcher import Dispatcher
from evograft_cluster.coordinator.engine import Engine
from evograft_cluster.messages import Order
from evograft_cluster.requirements import EvaluationResources, Requirements
from evograft_hookspecs import EvalTask, Evaluation, Evaluator, NoOptions


class ClusterOptions(NoOptions):
    """Options of all drivers of clusters."""

    resources: EvaluationResources = EvaluationResources()
    """What one evaluation has to itself."""
    patience: Annotated[float, Field(gt=0)] = 10.0
    """Minutes that a run goes on without any answer while workers are away, or with no worker; then it ends with exit
    code 4, and can be resumed."""


O = TypeVar("O", bound=ClusterOptions)  # noqa: E741


class ClusterExecutor(Generic[O]):
    """An executor whose workers are elsewhere."""

    Options: ClassVar[type[ClusterOptions]] = ClusterOptions
    hung = 0

    def __init__(self, options: O) -> None:
        self.options = options
        self._engine: Engine | None = None
        self._dispatcher: Dispatcher | None = None

    @property
    def workers(self) -> int:
        return self._engine.workers if self._engine else 1

    @property
    def state(self) -> str:
        """Return what people should know of the workers; empty: all is well."""
        if self._engine is None or self._dispatcher is None:
            return ""
        return "; ".join(filter(None, (self._engine.state, self._dispatcher.state)))

    def start(self, local: Evaluator, remote: Callable[[], Evaluator]) -> None:  # noqa: ARG002 - the protocol's
        from evograft.session.worker import RemoteEvaluator

        assert isinstance(remote, RemoteEvaluator), "sessions evaluate elsewhere by it"
        self._run = remote.run
        self._requirements = Requirements.of(remote, self.options.resources)
        self._engine = self._connect(self._requirements.resources)
        self._engine.check(Order(run=self._run, trial=0, requirements=self._requirements))
        self._dispatcher = Dispatcher(self._engine, pickle.dumps(remote), patience=60 * self.options.patience)

    def submit(self, task: EvalTask) -> Future[Evaluation]:
        assert self._dispatcher is not None, "start comes before submit"
        is_final = task.ctx.purpose == "final"
        order = Order(run=self._run, trial=task.ctx.trial, final=is_final, requirements=self._requirements)
        return self._dispatcher.submit(order, task)

    def close(self, *, abandon: bool = False) -> None:
        if self._dispatcher:
            self._dispatcher.close()
        if self._engine:
            self._engine.close(abandon=abandon)

    def _connect(self, resources: EvaluationResources) -> Engine:
        raise NotImplementedError

"""An order as a task of Dask, which is given up when the scheduler has forgotten it."""

from __future__ import annotations

from distributed import get_worker

from evograft_cluster.messages import Packed
from evograft_cluster.worker.node import evaluate_wanted


def evaluate_on_dask(order: str, remote: bytes, task: bytes) -> Packed:
    """Carry out an order within a worker of Dask.

    A thread cannot be ended from outside: the worker goes on with a task whose client is gone, or that was moved
    elsewhere, until the task sees that itself.
    """
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        state = worker.state.tasks.get(key)
        return state is not None and state.state != "cancelled"

    return evaluate_wanted(order, remote, task, is_wanted=is_wanted)

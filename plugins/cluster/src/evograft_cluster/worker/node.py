"""A process of a cluster that evaluates for runs.

Engines hand over functions, not objects: what a worker keeps between two calls lies in this module.
"""

from __future__ import annotations

import pickle
import socket
import threading
import time
from collections.abc import Callable
from importlib.metadata import version

from pydantic import ValidationError

from evograft.drivers.executor.worker_process import LOOK_SECONDS
from evograft.errors import EvograftError, RunStopping, ServiceError
from evograft_cluster.messages import Order, Outcome, Packed, Reply
from evograft_cluster.worker.slots import RunSlots
from evograft_cluster.worker.traces import Trace, take_dead
from evograft_hookspecs import EvalTask, Evaluation, TaskExpired, WorkerLost

UNFIT_SECONDS = 5.0
"""How long a worker that cannot evaluate keeps an order, so that it does not take the next one from those that can."""
_OUTCOMES: dict[type[Exception], Outcome] = {RunStopping: "abandoned", TaskExpired: "expired", WorkerLost: "died"}
_NOTHING = pickle.dumps((None, None))


class WorkerNode:
    """The plugins that a worker process keeps between two orders. Used by several threads."""

    def __init__(self) -> None:
        self._slots: dict[bytes, RunSlots] = {}
        self._lock = threading.Lock()

    def carry_out(self, order: Order, remote: bytes, task: bytes, is_wanted: Callable[[], bool]) -> Packed:
        """Evaluate what a run asks for, once.

        Args:
            order: what it needs.
            remote: pickled; builds the plugins.
            task: pickled.
            is_wanted: asked now and then, whether there is still anybody to hear of the result.
        """
        lacking = order.requirements.find_lacking()
        if lacking:
            return _unfit("; ".join(lacking), is_wanted)
        if take_dead(order.evaluation):
            return _reply("died", "a worker died over it")
        try:
            return self._evaluate(order, remote, pickle.loads(task), is_wanted)  # noqa: S301 - from the run itself
        except (RunStopping, TaskExpired, WorkerLost) as end:
            return _reply(_OUTCOMES[type(end)], str(end))
        except (ServiceError, OSError) as err:
            return _unfit(str(err), is_wanted)

    def _evaluate(self, order: Order, remote: bytes, task: EvalTask, is_wanted: Callable[[], bool]) -> Packed:
        trace = Trace(order.evaluation)
        try:
            with self._slots_of(order, remote).borrow() as pinned:
                remark = "" if pinned.is_pinned else f"more evaluations than cores on {_host()}: they are not pinned"
                return _result(pinned.slot.evaluate(task, on_start=trace.begin, is_wanted=is_wanted), None, remark)
        except (ServiceError, RunStopping):
            raise
        except (EvograftError, RuntimeError) as err:
            if lacking := order.requirements.find_lacking():  # such as a disk that has filled up meanwhile
                return _unfit("; ".join(lacking), is_wanted)
            return _result(None, err)
        finally:
            trace.end()

    def _slots_of(self, order: Order, remote: bytes) -> RunSlots:
        with self._lock:
            slots = self._slots.get(remote)
            if slots is None:
                for other in self._slots.values():
                    other.close_idle()
                slots = self._slots[remote] = RunSlots(remote, order.requirements.resources)
            return slots


_node = WorkerNode()


def evaluate(order: str, remote: bytes, task: bytes) -> Packed:
    """Carry out an order: the function that engines call in a worker's process."""
    return evaluate_wanted(order, remote, task, is_wanted=lambda: True)


def evaluate_wanted(order: str, remote: bytes, task: bytes, *, is_wanted: Callable[[], bool]) -> Packed:
    """Do what `evaluate` does, and give it up when it is not wanted any more."""
    try:
        wanted = Order.model_validate_json(order)
    except ValidationError:
        return _unfit(f"evograft-cluster {version('evograft-cluster')} cannot read what the run asks", is_wanted)
    return _node.carry_out(wanted, remote, task, is_wanted)


def _result(evaluation: Evaluation | None, error: Exception | None, remark: str = "") -> Packed:
    return _reply("evaluated", body=pickle.dumps((evaluation, error)), remark=remark)


def _unfit(reason: str, is_wanted: Callable[[], bool]) -> Packed:
    end = time.monotonic() + UNFIT_SECONDS
    while time.monotonic() < end and is_wanted():
        time.sleep(LOOK_SECONDS)
    return _reply("unfit", f"worker on {_host()}: {reason}")


def _reply(outcome: Outcome, reason: str = "", *, body: bytes = _NOTHING, remark: str = "") -> Packed:
    reply = Reply(outcome=outcome, reason=reason, remark=remark)
    return reply.model_dump_json(), body


def _host() -> str:
    return socket.gethostname()

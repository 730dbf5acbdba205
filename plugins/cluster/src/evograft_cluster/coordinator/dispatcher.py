"""The dispatcher: sends each evaluation to an engine, as often as it takes until it has an answer.

Whom a failure is to blame for is decided here and on the workers, never by the engine: a worker that vanishes, a
connection that is cut and a job that reaches its end cost nothing but time. A candidate is charged only where a worker
saw it begin and die, or found what was left of that.
"""

from __future__ import annotations

import heapq
import itertools
import pickle
import queue
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from pydantic import ValidationError

from evograft.errors import RunStopping, ServiceError
from evograft_cluster.coordinator.engine import Engine
from evograft_cluster.messages import Order, Packed, Reply
from evograft_hookspecs import EvalTask, Evaluation, TaskExpired, WorkerLost

MOST_VANISHED = 20
"""Workers that vanish over one evaluation until somebody has to look."""
LONGEST_PAUSE = 30.0
"""The most seconds between two attempts while nothing is answered."""
LOOK_SECONDS = 2.0
"""Seconds between two looks for workers while nothing happens."""


@dataclass(eq=False)
class Sent:
    """An evaluation that is on its way."""

    order: Order
    task: bytes
    future: Future[Evaluation] = field(default_factory=Future)
    attempts: int = 0
    begun: float = 0.0
    """Monotonic time of the last attempt."""
    vanished: int = 0
    """How many attempts the engine has lost with their worker."""


@dataclass
class Trouble:
    """The attempts that have failed since the last answer."""

    reason: str = ""
    """Of the last one."""
    failures: int = 0
    since: float = 0.0
    """Monotonic time of the first one, and"""
    until: float = 0.0
    """of the last."""

    def add(self, reason: str) -> None:
        self.reason = reason
        self.failures += 1
        self.until = time.monotonic()
        self.since = self.since or self.until

    @property
    def pause(self) -> float:
        """Seconds until the next attempt."""
        return min(LONGEST_PAUSE, 0.1 * 2.0 ** min(self.failures - 1, 10))


class Dispatcher:
    """One thread that sends evaluations and settles what comes back.

    Args:
        engine: carries them out.
        remote: pickled; builds the plugins of the run.
        patience: seconds that it goes on without an answer while attempts fail, or nobody is there.
    """

    def __init__(self, engine: Engine, remote: bytes, *, patience: float) -> None:
        self._engine = engine
        self._remote = remote
        self._patience = patience
        self._actions: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._later: list[tuple[float, int, Sent]] = []
        self._numbers = itertools.count()
        # A copy of a run has its id: where both work, neither is to get the other's answer.
        self._token = uuid.uuid4().hex[:8]
        self._under_way: dict[Sent, Future[Packed] | None] = {}
        self._trouble = Trouble()
        self._deserted_since: float | None = None
        self._is_broken = False
        self._remarks: dict[str, None] = {}
        self._left_out: dict[str, None] = {}
        self._thread = threading.Thread(target=self._work, name="dispatch", daemon=True)
        self._thread.start()

    @property
    def state(self) -> str:
        """Return what people should know of the workers; empty: all is well."""
        left_out = (f"left out: {reason}" for reason in self._left_out if reason != self._trouble.reason)
        return "; ".join(filter(None, (self._trouble.reason, *self._remarks, *left_out)))

    def submit(self, order: Order, task: EvalTask) -> Future[Evaluation]:
        """Have a task evaluated. Callable from any thread."""
        sent = Sent(order, pickle.dumps(task))
        self._actions.put(partial(self._attempt, sent))
        return sent.future

    def close(self) -> None:
        """Stop; what has no answer yet raises RunStopping."""
        self._actions.put(None)
        self._thread.join()

    # -- on the thread ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with suppress(queue.Empty):
                action = self._actions.get(timeout=self._seconds_to_next())
                if action is None:
                    break
                action()
            if self._later and self._seconds_to_next() == 0:
                self._attempt(heapq.heappop(self._later)[2])
            self._look_for_workers()
        for sent in self._under_way:
            sent.future.set_exception(RunStopping("the run ends"))

    def _seconds_to_next(self) -> float:
        return min(LOOK_SECONDS, max(0.0, self._later[0][0] - time.monotonic())) if self._later else LOOK_SECONDS

    def _look_for_workers(self) -> None:
        """Give up what is under way when nobody has been there to evaluate it for longer than patience lasts."""
        if not self._under_way or not self._engine.is_deserted:
            self._deserted_since = None
            return
        now = time.monotonic()
        self._deserted_since = self._deserted_since or now
        if now - self._deserted_since > self._patience:
            self._later.clear()
            for sent in tuple(self._under_way):
                self._finish(sent, error=_given_up(self._trouble.reason or "no worker is there", self._patience))

    def _attempt(self, sent: Sent) -> None:
        sent.attempts += 1
        sent.begun = time.monotonic()
        self._under_way[sent] = None
        key = f"{sent.order.evaluation}-{sent.attempts}-{self._token}-{next(self._numbers)}"
        try:
            if self._is_broken:
                self._engine.restore()
                self._is_broken = False
            future = self._engine.send(key, sent.order.model_dump_json(), self._remote, sent.task)
        except ServiceError as err:
            self._is_broken = True
            self._retry(sent, str(err))
            return
        self._under_way[sent] = future
        future.add_done_callback(lambda done: self._actions.put(partial(self._take, sent, done)))

    def _take(self, sent: Sent, done: Future[Packed]) -> None:
        if self._under_way.get(sent) is not done:
            return  # a late answer to an attempt that was given up
        try:
            text, body = done.result()
        except CancelledError:
            self._lose(sent, "the connection to the workers was lost")
        except (ModuleNotFoundError, AttributeError) as err:
            self._retry(sent, f"a worker cannot import evograft-cluster: {err}")
        except Exception as err:  # noqa: BLE001 - whatever engines raise, it says that the attempt has no answer
            sent.vanished += 1
            self._lose(sent, f"a worker vanished: {type(err).__name__}: {err}")
        else:
            self._settle(sent, text, body)

    def _settle(self, sent: Sent, text: str, body: bytes) -> None:
        try:
            reply = Reply.model_validate_json(text)
        except ValidationError:
            self._retry(sent, "a worker answers as another evograft-cluster does: install the run's version there")
            return
        if reply.remark:
            self._remarks[reply.remark] = None
        if reply.outcome == "unfit":
            self._left_out[reply.reason] = None
            self._retry(sent, reply.reason)
            return
        if reply.outcome == "abandoned":
            self._retry(sent, reply.reason)
            return
        self._trouble = Trouble()
        if reply.outcome == "expired":
            self._finish(sent, error=TaskExpired(reply.reason))
        elif reply.outcome == "died":
            self._finish(sent, error=WorkerLost(reply.reason))
        else:
            evaluation, error = pickle.loads(body)  # noqa: S301 - from a worker of this run
            self._finish(sent, evaluation, error)

    def _finish(self, sent: Sent, evaluation: Evaluation | None = None, error: Exception | None = None) -> None:
        del self._under_way[sent]
        if error is not None:
            sent.future.set_exception(error)
        else:
            sent.future.set_result(evaluation)  # type: ignore[arg-type]

    def _lose(self, sent: Sent, reason: str) -> None:
        """Try again after the loss of a worker or of all; one that had worked for long was no trouble until then."""
        self._is_broken = True
        if time.monotonic() - sent.begun > LONGEST_PAUSE:
            self._trouble = Trouble()
        self._retry(sent, reason)

    def _retry(self, sent: Sent, reason: str) -> None:
        """Try again, after a moment that grows while nothing is answered; give up when patience is over."""
        self._under_way[sent] = None
        self._trouble.add(reason)
        if self._trouble.until - self._trouble.since > self._patience:
            self._finish(sent, error=_given_up(reason, self._patience))
        elif sent.vanished >= MOST_VANISHED:
            self._finish(
                sent,
                error=ServiceError(f"{sent.vanished} workers vanished over trial {sent.order.trial}: {reason}"),
            )
        else:
            heapq.heappush(self._later, (time.monotonic() + self._trouble.pause, next(self._numbers), sent))


def _given_up(reason: str, patience: float) -> ServiceError:
    return ServiceError(
        f"no worker has answered for {patience / 60:g} minutes ({reason}): look at the cluster, then resume the run"
    )

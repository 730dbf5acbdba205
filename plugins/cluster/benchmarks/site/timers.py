"""An executor whose workers are timers: each takes an evaluation, waits as long as it would take, and answers."""

import heapq
import itertools
import json
import pickle
import random
import threading
import time
from collections import deque
from concurrent.futures import Executor, Future
from pathlib import Path

from evograft_cluster.messages import Reply
from evograft_hookspecs import Evaluation

ANSWER = (
    Reply(outcome="evaluated").model_dump_json(),
    pickle.dumps((Evaluation(status="ok", score=0.5), None)),
)


class Timers(Executor):
    """As many workers as wanted; how busy they were is written to a file.

    Args:
        workers: how many.
        seconds: mean of an evaluation.
        spread: of it, as a part: 0.5 means from half to one and a half of the mean, uniformly.
        report: the file.
    """

    def __init__(self, workers: int, seconds: float, spread: float, report: str) -> None:
        self._free, self._workers = workers, workers
        self._seconds, self._spread, self._report = seconds, spread, Path(report)
        self._random = random.Random(0)
        self._waiting: deque[Future] = deque()
        self._due: list[tuple[float, int, Future]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._full_at = self._seen_at = self._last_at = None
        self._busy = self._busy_at_last = 0.0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, function, /, *arguments, **keywords):
        future = Future()
        with self._changed:
            self._waiting.append(future)
            self._begin()
            self._last_at, self._busy_at_last = time.monotonic(), self._busy
            self._changed.notify()
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):  # noqa: FBT002 - the signature of executors
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _begin(self):
        """Give free workers what waits; count how busy they were since the last change."""
        now = time.monotonic()
        if self._full_at is not None:
            self._busy += (self._workers - self._free) * (now - self._seen_at)
        self._seen_at = now
        while self._free and self._waiting:
            self._free -= 1
            takes = self._seconds * (1 + self._random.uniform(-self._spread, self._spread))
            heapq.heappush(self._due, (now + takes, next(self._numbers), self._waiting.popleft()))
        if not self._free and self._full_at is None:
            self._full_at = now

    def _work(self):
        while True:
            with self._changed:
                if self._closed:
                    break
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is None or wait > 0:
                    self._changed.wait(wait)
                    continue
                self._begin()
                _, _, future = heapq.heappop(self._due)
                self._free += 1
                self._begin()
            future.set_result(ANSWER)
        # From when all had something to do until the last evaluation was handed out.
        busy = self._busy_at_last / (self._workers * (self._last_at - self._full_at)) if self._full_at else None
        self._report.write_text(json.dumps({"busy": busy, "cpu": time.thread_time()}))

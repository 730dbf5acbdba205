"""Getting an answer out of a driver: within its time, again after what passes, until the run stops."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import tenacity

from evograft.concurrency.deadline_pool import DeadlineThreads
from evograft.config.pipeline import LlmSection
from evograft.errors import EvograftError, PluginError, RunStopping
from evograft_hookspecs import LlmAnswer, LlmCall, LlmRefused, LlmRetryable, LlmUnavailable, TaskExpired, Usage
from evograft_hookspecs.drivers.llm import LlmDriver


@dataclass(frozen=True)
class Pause:
    """A call that waits before it is made again."""

    until: float
    """Unix time."""
    reason: str
    """What the last request came to."""


Charge = Callable[[Usage | None, str], None]
"""Takes what a request without an answer cost, `None` if nobody knows, and why there is none."""

LONGEST_PAUSE = 60.0
LONGEST_OBEYED = 600.0
"""A provider that asks to wait longer is asked again after this."""
GRACE = 10.0
"""Seconds that requests under way have to be answered when the run stops."""
LOOK = 0.2
"""Seconds after which a thread that waits looks up: only the main thread handles signals, and a lock hides one."""


@dataclass(frozen=True)
class Outcome:
    """How a call came to an end."""

    answer: LlmAnswer | None
    requests: int
    """How often the provider was asked."""
    refusal: LlmRefused | None = None
    """Why there is no answer."""


class RetryingClient:
    """Asks a driver, each time on a thread that can be given up: drivers' own time limits need not hold."""

    def __init__(self, driver: LlmDriver, section: LlmSection) -> None:
        self._driver = driver
        self._section = section
        self._threads: DeadlineThreads[LlmAnswer] = DeadlineThreads(section.slots, name="llm")
        self._stopped = threading.Event()
        self._pauses: dict[int | None, Pause] = {}
        """By trial."""
        self._stopping: Future[LlmAnswer] = Future()
        """There to be waited for; it is done when the run stops."""

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def ask(self, call: LlmCall, *, charge: Charge, again: Callable[[], None]) -> Outcome:
        """Ask until there is an answer or a refusal; at most once more than the pipeline's `retries`.

        Args:
            call: the question.
            charge: is told what each request without an answer cost.
            again: called before each further request; it may wait, or raise.

        Raises:
            LlmRetryable: the last request failed too.
            LlmUnavailable: there is no answer to anything.
            PluginError: the driver is broken.
            RunStopping: the run stops.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(LlmRetryable),
            stop=tenacity.stop_after_attempt(self._section.retries + 1),
            wait=self._pause,
            sleep=self._sleep,
            before_sleep=lambda state: self._note_pause(call, state),
            reraise=True,
        )
        requests = itertools.count()

        def request() -> LlmAnswer:
            if next(requests):
                self._pauses.pop(call.trial, None)
                again()
                if self.stopped:
                    raise RunStopping("the run stops")
            return self._ask_once(call, charge)

        try:
            answer = retrying(request)
        except LlmRefused as err:
            return Outcome(None, retrying.statistics["attempt_number"], refusal=err)
        return Outcome(answer, retrying.statistics["attempt_number"])

    def pause_of(self, trial: int) -> Pause | None:
        """Return the pause that a call of a trial is in."""
        return self._pauses.get(trial)

    def end_waiting(self) -> None:
        """End pauses, and waiting for people; requests that are under way may come to their end."""
        self._stopped.set()
        if self._driver.patient:
            self._end_requests()

    def stop(self) -> None:
        """End pauses, and waiting for people; requests that are under way have a moment left."""
        self._stopped.set()
        self._end_requests()

    def _end_requests(self) -> None:
        with suppress(InvalidStateError):  # it was stopped before
            self._stopping.set_exception(RunStopping("the run stops"))

    def close(self) -> None:
        self.stop()
        self._threads.close()

    def _ask_once(self, call: LlmCall, charge: Charge) -> LlmAnswer:
        try:
            return self._answer_to(call)
        except (LlmRetryable, LlmRefused) as err:
            charge(err.usage, str(err))
            raise
        except (LlmUnavailable, RunStopping) as err:
            # Once the run stops, the provider may work on what nobody waits for any more. A person does not bill.
            if self.stopped and not self._driver.patient:
                charge(None, str(err))
            raise

    def _answer_to(self, call: LlmCall) -> LlmAnswer:
        patient, timeout = self._driver.patient, self._section.timeout
        ask = partial(self._driver.complete, call, timeout=timeout)
        # The driver's own limit comes first: its message says more.
        answering = self._threads.submit(ask, seconds=float("inf") if patient else timeout + 1.0)
        while not wait([answering, self._stopping], timeout=LOOK, return_when=FIRST_COMPLETED).done:
            pass
        if not answering.done():
            wait([answering], timeout=0.0 if patient else GRACE)
        if not answering.done():
            raise RunStopping("the run stops")
        return self._answer_in(answering)

    def _answer_in(self, done: Future[LlmAnswer]) -> LlmAnswer:
        driver = f"llm driver {self._section.driver!r}"
        try:
            answer = done.result()
        except TaskExpired as err:
            raise LlmRetryable(f"no answer within {self._section.timeout:g} s", usage=None) from err
        except (LlmRetryable, LlmRefused, LlmUnavailable, EvograftError):
            raise
        except (Exception, SystemExit) as err:  # the one place where drivers run: whatever else is theirs
            raise PluginError(f"{driver} raised {type(err).__name__}: {err}") from err
        if not isinstance(answer, LlmAnswer):
            raise PluginError(f"{driver} returned {type(answer).__name__}, expected LlmAnswer")
        return answer

    def _pause(self, state: tenacity.RetryCallState) -> float:
        backoff = self._section.backoff
        growing = tenacity.wait_exponential(multiplier=backoff, max=LONGEST_PAUSE) + tenacity.wait_random(0, backoff)
        pause = min(growing(state), LONGEST_PAUSE)
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, LlmRetryable) else None
        return pause if asked is None else min(max(asked, pause), LONGEST_OBEYED)

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.stopped and (left := end - time.monotonic()) > 0:
            self._stopped.wait(min(left, LOOK))

    def _note_pause(self, call: LlmCall, state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._pauses[call.trial] = Pause(time.time() + state.upcoming_sleep, str(error))

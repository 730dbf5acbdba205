"""Retries: waiting until a failure that passes has passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

from tenacity import Future, RetryCallState, Retrying, retry_if_result

from evograft_env_setup.failures import CommandFailure
from evograft_env_setup.sandbox import CommandOutcome

WAITS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {"network": (5, 10, 20), "server": (10, 10, 10), "lock": (3, 3, 3, 3, 3)}
)
"""Seconds before each retry, by the kind of the failure."""


@dataclass(frozen=True)
class CommandAttempt:
    """A command that was tried, and why it failed if it did."""

    outcome: CommandOutcome
    failure: CommandFailure | None
    number: int = 1

    def is_worth_a_retry(self, retried: Counter[str]) -> bool:
        failure = self.failure
        if failure is None or failure.error_class != "retryable":
            return False
        return retried[failure.kind] < len(WAITS.get(failure.kind, ()))


class CommandRetries:
    """Retries of commands, and their count.

    Args:
        sleep: waits for a given number of seconds.
        tell: is told why, and for how many seconds one waits.
    """

    def __init__(self, sleep: Callable[[float], None], tell: Callable[[CommandFailure, float], None]) -> None:
        self._sleep = sleep
        self._tell = tell
        self.counted: Counter[str] = Counter()
        """All retries by kind."""

    def persist(self, attempt: Callable[[bool], CommandAttempt]) -> CommandAttempt:
        """Return the last attempt of a command.

        It has worked, or it has failed and waiting would not help any more.

        Retries are counted for each kind of failure, and from 0 for each command: what failed for the network may
        find a lock next.

        Args:
            attempt: carries the command out; is told whether it is a retry.
        """
        retried: Counter[str] = Counter()
        retrying = Retrying(
            sleep=self._sleep,
            retry=retry_if_result(lambda tried: tried.is_worth_a_retry(retried)),
            wait=lambda state: self._next_wait(state, retried),
        )
        last: CommandAttempt = retrying(lambda: attempt(retried.total() > 0))
        self.counted += retried
        return _make_fixable(replace(last, number=retried.total() + 1))

    def _next_wait(self, state: RetryCallState, retried: Counter[str]) -> float:
        failure: CommandFailure = cast("Future", state.outcome).result().failure
        seconds = WAITS[failure.kind][retried[failure.kind]]
        retried[failure.kind] += 1
        self._tell(failure, seconds)
        return seconds


def _make_fixable(last: CommandAttempt) -> CommandAttempt:
    """Make a failure fixable when waiting does not help: other commands may."""
    if last.failure is None or last.failure.error_class != "retryable":
        return last
    return replace(last, failure=last.failure.model_copy(update={"error_class": "fixable", "waited_in_vain": True}))

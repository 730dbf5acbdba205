"""Drivers of models (entry point group `evograft.llm`)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field

from evograft_hookspecs.services.llm import LlmAnswer, LlmRequest, Usage
from evograft_hookspecs.values import Count, Name, Value


class LlmCall(Value):
    """A request on its way to a driver."""

    request: LlmRequest
    """With its model filled in."""
    key: Name
    """Its place in the run, `scope:digest:occurrence`: the same whenever the run comes to it again."""
    trial: Count | None = None


class Price(Value):
    """US dollars per million tokens."""

    prompt: Annotated[float, Field(strict=True, ge=0)]
    completion: Annotated[float, Field(strict=True, ge=0)]


class LlmDriver(Protocol):
    """Gives access to models.

    The kernel logs, retries, counts and limits around it; a driver makes one request per call.
    """

    @property
    def available(self) -> bool:
        """Whether there is a model at all: false for the driver `none`."""

    @property
    def patient(self) -> bool:
        """Whether a person answers: such a call has no time limit and is given up at once when the run stops."""

    @property
    def default_model(self) -> str:
        """The model that is asked where the pipeline names none; empty: it has to name one."""

    def price(self, model: str) -> Price | None:
        """Return the price of a model, asked for when a run starts and kept in its lock file; `None`: unknown."""

    def open(self, folder: Path) -> None:
        """Get ready to work for the run of this folder; `price` and `close` may be called without it.

        Raises:
            LlmUnavailable: it can't work here (no key, a recorded run that is gone); the message says what to do.
        """

    def complete(self, call: LlmCall, *, timeout: float) -> LlmAnswer:
        """Ask once, without retries of its own; called from several threads.

        Args:
            call: the question and its place in the run.
            timeout: seconds of wall time.

        Raises:
            LlmRetryable: the same call may go through later (rate limit, time-out, 5xx, broken connection).
            LlmRefused: this request will not be answered, however long one waits (too long, malformed).
            LlmUnavailable: no request will be (bad key, unknown model, no credit).
        """

    def close(self) -> None:
        """Close connections; `complete` may still be waiting in other threads."""


@runtime_checkable
class ModelChecker(Protocol):
    """An optional part of an LLM driver: it knows something about a model without asking it."""

    def require_model(self, model: str) -> None:
        """Check, once the driver is open and before a run is kept, that a model can be asked.

        Raises:
            LlmUnavailable: it cannot be from here (no such provider, no key); the message says what to do.
        """


class LlmRetryable(Exception):  # noqa: N818 - it says how to react
    """A model did not answer this time.

    Args:
        reason: what happened, one line, without keys.
        retry_after: seconds that the provider asks to wait, if it said so.
        usage: what the request cost all the same; `None`: nobody knows (a time-out, an answer that was cut).
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after: float | None = None,
        usage: Usage | None = Usage(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.usage = usage


class LlmUnavailable(Exception):  # noqa: N818 - it says how to react
    """No model will answer anything until somebody fixes it: the run ends, resumable."""

"""What hooks get as `ctx.llm`: conversations with models."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal, Protocol

from pydantic import Field

from evograft_hookspecs.values import Count, Name, Number, Text, Value


class Message(Value):
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: Text


class LlmRequest(Value):
    """A question to a model. Equal requests have equal hashes, which is how a logged answer is found again."""

    messages: tuple[Message, ...]
    max_tokens: Annotated[int, Field(strict=True, ge=1)]
    """Mandatory, because money is reserved before a call starts."""
    model: Text = ""
    """Empty: the model drawn for the trial. Another one must be among the pipeline's models."""
    temperature: Number | None = None
    """`None`: the provider's default."""
    stop: tuple[Text, ...] = ()

    def digest(self) -> str:
        """Return 32 hexadecimal digits: the hash of the whole request."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:32]


class Usage(Value):
    """What a call cost."""

    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    dollars: Number | None = None
    """`None`: the price is unknown, which is not the same as 0. Set by the kernel from the run's prices."""
    estimated: bool = False
    """Whether the provider counted no tokens, and these follow from the length of the texts: upper bounds, unless the
    driver estimates them."""


class LlmAnswer(Value):
    """A model's answer."""

    text: Text
    model: Name
    finish: Literal["stop", "length", "filter"] = "stop"
    """`length`: cut off at `max_tokens`; `filter`: withheld by the provider."""
    usage: Usage | None = Usage()
    """`None` from a driver: the provider did not count. What hooks and the log get is never `None`."""
    charged: Usage = Usage()
    """What requests of this call have cost that got no answer, before the one that did. Set by the kernel."""


class LlmRefused(Exception):  # noqa: N818 - it says how to react
    """A model will not answer this request, however long one waits; it may answer another one.

    Args:
        reason: what is wrong, one line, without keys.
        usage: as of `LlmRetryable`; for a hook, what all requests of its call have cost.
    """

    def __init__(self, reason: str = "", *, usage: Usage | None = Usage()) -> None:  # noqa: B008 - frozen
        super().__init__(reason)
        self.usage = usage


class LlmService(Protocol):
    """What hooks get as `ctx.llm`."""

    @property
    def available(self) -> bool:
        """Whether there is a model at all: false with the driver `none`."""

    def complete(self, request: LlmRequest) -> LlmAnswer:
        """Ask a model; an answer that is already in the run's log is returned from there.

        Waiting does not count against the deadline of the call. A provider that stays down, and a budget that is
        used up, end the run: the hook that asked does not continue.

        Raises:
            LlmRefused: by the provider, or because the driver is `none`.
        """

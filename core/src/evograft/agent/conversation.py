"""A conversation with an agent, as plain data: what was said, which tools were called, and what came of it."""

from __future__ import annotations

from datetime import datetime
from itertools import takewhile
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, SerializerFunctionWrapHandler, model_serializer

from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Json, Name, Text, Value


class ToolUse(Value):
    """A call that a message asked for, and its result."""

    tool: Text
    """Empty: the message held nothing that could be carried out, and `result` says why."""
    parameters: FrozenDict[Text, Json] = FrozenDict()
    result: Text
    error: bool = False
    """Written only where it is true."""

    @model_serializer(mode="wrap")
    def _without_success(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = written(self)
        return data if self.error else {key: value for key, value in data.items() if key != "error"}


class Message(Value):
    """What one side said. The results of the calls in an assistant's message belong to it."""

    role: Literal["user", "assistant"]
    content: Text
    timestamp: AwareDatetime
    tool_calls: tuple[ToolUse, ...] = ()

    @property
    def is_malformed(self) -> bool:
        """Whether all that it asked for was written so that nothing could be carried out."""
        return bool(self.tool_calls) and all(not use.tool for use in self.tool_calls)


class Conversation(Value):
    """The whole of it, from the first question on. What it has come to follows from its messages alone."""

    version: Literal[1] = 1
    conversation_id: Annotated[Name, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
    """Also the name of its folder, so it holds nothing but letters, digits, `-` and `_`."""
    messages: tuple[Message, ...] = ()

    def asked(self, text: str, *, at: datetime) -> Conversation:
        """With a question of the user."""
        return self.with_message(Message(role="user", content=text, timestamp=at))

    def with_message(self, message: Message) -> Conversation:
        return self.model_copy(update={"messages": (*self.messages, message)})

    @property
    def answers(self) -> tuple[Message, ...]:
        """The messages of the model since the last question, oldest first."""
        since = takewhile(lambda message: message.role == "assistant", reversed(self.messages))
        return tuple(since)[::-1]

    @property
    def malformed(self) -> int:
        """How many of the newest answers, in a row, asked for nothing that could be carried out."""
        return sum(1 for _ in takewhile(lambda message: message.is_malformed, reversed(self.answers)))

"""A conversation with an agent, as plain data: what was said, which tools were called, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import takewhile
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Json, Name, Text, Value


def _add_zone(value: Any) -> Any:
    """Read a time without a zone as UTC; leave what is not a time to be refused."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return read.replace(tzinfo=UTC) if isinstance(read, datetime) and read.tzinfo is None else value


class ToolUse(Value):
    """A call that a message asked for, and its result."""

    tool: Text
    """Empty: it is not known which tool was meant."""
    parameters: FrozenDict[Text, Json] = FrozenDict()
    result: Text
    error: bool = False
    """Written only where it is true."""
    malformed: bool = False
    """Nothing was carried out: it is not a call, or one that does not fit its tool, and `result` says why. Written
    only where it is true."""

    @model_serializer(mode="wrap")
    def _without_success(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = written(self)
        return {key: value for key, value in data.items() if value or key not in ("error", "malformed")}

    @property
    def is_malformed(self) -> bool:
        """Files of earlier versions have no mark, and no tool either."""
        return self.malformed or not self.tool


class ConversationMessage(Value):
    """A message of one side. The results of the calls in an assistant's message belong to it."""

    role: Literal["user", "assistant"]
    content: Text
    timestamp: Annotated[AwareDatetime, BeforeValidator(_add_zone)]
    """One without a zone, such as another program may write, is read as UTC."""
    tool_calls: tuple[ToolUse, ...] = ()

    @property
    def is_malformed(self) -> bool:
        """Whether all that it asked for was written so that nothing could be carried out."""
        return bool(self.tool_calls) and all(use.is_malformed for use in self.tool_calls)


class Conversation(Value):
    """The whole of it, from the first question on. What it has come to follows from its messages alone."""

    version: Literal[1] = 1
    conversation_id: Annotated[Name, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
    """Also the name of its folder, so it holds nothing but letters, digits, `-` and `_`."""
    messages: tuple[ConversationMessage, ...] = ()

    def with_question(self, text: str, *, at: datetime) -> Conversation:
        """Return the conversation with a question of the user."""
        return self.with_message(ConversationMessage(role="user", content=text, timestamp=at))

    def with_message(self, message: ConversationMessage) -> Conversation:
        return self.model_copy(update={"messages": (*self.messages, message)})

    @property
    def answers(self) -> tuple[ConversationMessage, ...]:
        """The messages of the model since the last question, oldest first."""
        since = takewhile(lambda message: message.role == "assistant", reversed(self.messages))
        return tuple(since)[::-1]

    @property
    def malformed(self) -> int:
        """How many of the newest answers, in a row, asked for nothing that could be carried out."""
        return sum(1 for _ in takewhile(lambda message: message.is_malformed, reversed(self.answers)))

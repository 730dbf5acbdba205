"""The loop of an agent: a model is asked, the calls in its message are carried out, until it has ended its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from evograft.errors import PluginError
from evograft.text.i18n import Catalog
from evograft.text.masking import mask
from evograft_agent.calls.tool_calls import CallRequest, CallSyntax, MalformedCall, ParsedCall
from evograft_agent.conversations.conversation import Conversation, ConversationMessage, ToolUse
from evograft_agent.conversations.transcript import build_turns
from evograft_agent.xml import XmlCalls
from evograft_hookspecs import Context, LlmAnswer, LlmRequest, Tool, ToolCall, ToolResult
from evograft_hookspecs import Message as Turn

FINISH_TOOL = "complete"
"""The tool that ends a task, as the specification of tools names it."""


@dataclass(frozen=True)
class AgentLimits:
    """How far an agent goes for one question."""

    steps: int = 30
    """Messages of the model."""
    malformed: int = 3
    """Messages in a row whose calls cannot be read."""
    room: int = 200_000
    """Characters of what a model is asked with."""


@dataclass(frozen=True)
class TaskEnd:
    """How a task came to its end."""

    reason: Literal["complete", "steps", "malformed"]
    text: str
    """What the task was ended with; else the last thing that was wrong, if anything was."""


class Agent:
    """Works on a conversation, which is all the state there is: a new agent can continue it at any message.

    Args:
        ctx: its model is asked, its tools are offered.
        request_template: how the model is asked, with what the system prompt says before the tools as its only message.
        finish_tool: the tool that ends a task; empty: a message without calls does.
        limits: per question.
        language: of the agent's own messages to the model, `en` or `ja`.
        syntax: of calls in messages.
    """

    def __init__(
        self,
        ctx: Context,
        request_template: LlmRequest,
        *,
        finish_tool: str = "",
        limits: AgentLimits = AgentLimits(),
        language: str = "en",
        syntax: CallSyntax | None = None,
    ) -> None:
        self._ctx = ctx
        self._finish_tool = finish_tool
        self._limits = limits
        self._request_template = request_template
        self._syntax = syntax or XmlCalls()
        self._words = Catalog(language, __package__ or "")
        self.system = self._build_system(*(turn.content for turn in request_template.messages))
        """The system prompt."""

    def find_end(self, conversation: Conversation) -> TaskEnd | None:
        """Return how the newest question ended; `None` while it is the model's turn."""
        answers = conversation.answers
        if not answers:
            return None
        newest = answers[-1].tool_calls
        if not self._finish_tool and not newest:
            return TaskEnd("complete", answers[-1].content)
        if self._finish_tool and [use.tool for use in newest if not use.error] == [self._finish_tool]:
            return TaskEnd("complete", newest[-1].result)
        if conversation.malformed >= self._limits.malformed:
            return TaskEnd("malformed", newest[-1].result)
        if len(answers) >= self._limits.steps:
            return TaskEnd("steps", "")
        return None

    def ask(self, conversation: Conversation) -> LlmAnswer:
        """Return the model's next message, of which nothing has been carried out.

        Raises:
            LlmRefused: there is no answer to this conversation.
        """
        turns = build_turns(conversation, self._words, room=self._limits.room - len(self.system))
        if len(conversation.answers) + 1 == self._limits.steps > 1:
            turns = _append_text(
                turns, self._words("last" if self._finish_tool else "last_answer", tool=self._finish_tool)
            )
        messages = (Turn(role="system", content=self.system), *turns)
        return self._ctx.llm.complete(self._request_template.model_copy(update={"messages": messages}))

    def apply_response(self, conversation: Conversation, answer: LlmAnswer) -> Conversation:
        """Return the conversation with a message of the model, its calls carried out in their order."""
        asked = self._syntax.read(answer, self._ctx.tools.offered)
        if not asked and self._finish_tool:
            why = "cut_off" if answer.finish == "length" else "no_call"
            asked = (MalformedCall(self._words(why, tool=self._finish_tool)),)
        uses = tuple(
            self._carry_out(each, f"{len(conversation.messages)}.{index}", alone=len(asked) == 1)
            for index, each in enumerate(asked)
        )
        message = ConversationMessage(
            role="assistant", content=answer.text, timestamp=datetime.now(UTC), tool_calls=uses
        )
        return conversation.with_message(message)

    def _carry_out(self, asked: CallRequest, number: str, *, alone: bool) -> ToolUse:
        if isinstance(asked, MalformedCall):
            return ToolUse(tool=asked.tool, parameters=asked.given, result=asked.error, error=True, malformed=True)
        if asked.tool == self._finish_tool and not alone:
            return _build_use(asked, self._words("not_alone", tool=asked.tool), error=True)
        result = self._call_tool(ToolCall(id=number, tool=asked.tool, arguments=asked.arguments))
        return _build_use(asked, result.content, error=not result.ok)

    def _call_tool(self, call: ToolCall) -> ToolResult:
        """Return the result of a tool.

        The model is told of a tool that breaks, too: there may be another way.
        """
        try:
            return self._ctx.tools.call(call)
        except PluginError as err:
            return ToolResult(ok=False, content=mask(str(err)).encode(errors="replace").decode())

    def _build_system(self, *role: str) -> str:
        words = self._words
        tools = map(self._describe, self._ctx.tools.offered)
        end = words("ends", tool=self._finish_tool) if self._finish_tool else words("answers")
        return "\n\n".join([*map(str.strip, role), words("tools"), end, *tools])

    def _describe(self, tool: Tool) -> str:
        """Return the system prompt's text on a tool: all that its manifest says, and the form of a call."""
        schemas: Mapping[str, Any] = tool.parameters.get("properties", {})
        required = tool.parameters.get("required", ())
        language = self._words.language
        parameters = (
            self._words(
                "required" if name in required else "optional", name=name, text=_describe_parameter(schema, language)
            )
            for name, schema in schemas.items()
        )
        description = _find_translation(tool.parameters, language) or tool.description
        head = "\n".join([f"## {tool.name}\n\n{description}", *parameters])
        return f"{head}\n\n{self._syntax.describe(tool)}"


def _describe_parameter(schema: Mapping[str, Any], language: str) -> str:
    return _find_translation(schema, language) or str(schema.get("description") or schema.get("type", ""))


def _find_translation(schema: Mapping[str, Any], language: str) -> str:
    """Return the description in a language other than that of manifests.

    The keyword `x-descriptions` holds it; empty where it does not.
    """
    return str(schema.get("x-descriptions", {}).get(language, ""))


def _build_use(asked: ParsedCall, result: str, *, error: bool) -> ToolUse:
    return ToolUse(tool=asked.tool, parameters=asked.arguments, result=result, error=error)


def _append_text(turns: Sequence[Turn], text: str) -> tuple[Turn, ...]:
    *before, last = turns
    return (*before, last.model_copy(update={"content": f"{last.content}\n\n{text}"}))

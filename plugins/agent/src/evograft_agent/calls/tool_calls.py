"""Requests in a message of a model, and the syntax for calls that its system prompt asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from evograft_hookspecs import FrozenDict, LlmAnswer, Tool
from evograft_hookspecs.values import Json


@dataclass(frozen=True)
class ParsedCall:
    """A call that can be carried out: its tool exists, and its arguments fit the tool's parameters."""

    tool: str
    arguments: FrozenDict[str, Json]


@dataclass(frozen=True)
class MalformedCall:
    """Text that looks like a call and is not one; it is not carried out, and the model learns why."""

    error: str
    """What is wrong and how to fix it, written for the model."""
    tool: str = ""
    """The tool that was meant, where that is known."""
    given: FrozenDict[str, Json] = FrozenDict()
    """The arguments as they were written, where they could be read."""


CallRequest = ParsedCall | MalformedCall


class CallSyntax(Protocol):
    """A way to write calls in messages. A provider's own tool calls can replace one that is read from text."""

    def describe(self, tool: Tool) -> str:
        """Return the form of a call of a tool, as the system prompt shows it."""

    def write(self, call: ParsedCall) -> str:
        """Return a call as a model would write it; `read` gives it back."""

    def read(self, answer: LlmAnswer, tools: Sequence[Tool]) -> tuple[CallRequest, ...]:
        """Return what a message asks for, in its order; nothing if it is only text.

        Never raises, whatever the text is.
        """

"""Calls written as XML elements, as the specification of tools has them, read from whatever models write."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evograft_agent.calls.tool_calls import CallRequest, CallSyntax, ParsedCall
from evograft_agent.xml.element import CDATA, CDATA_END, SPLIT_END
from evograft_agent.xml.message_parser import MessageParser
from evograft_agent.xml.tool_forms import REST, ToolForm
from evograft_hookspecs import LlmAnswer, Tool
from evograft_hookspecs.values import Json, thaw

__all__ = ["REST", "XmlCalls"]


class XmlCalls(CallSyntax):
    """One element named after the tool, one child element a parameter; no state, so that threads may share it."""

    def describe(self, tool: Tool) -> str:
        return ToolForm(tool).render_example()

    def write(self, call: ParsedCall) -> str:
        """Write all values as they are, or all of them in CDATA as soon as one could be misread."""
        texts = {name: _text(value) for name, value in call.arguments.items()}
        plain = not any("<" in text or text != text.strip() for text in texts.values())
        lines = (f"<{name}>{text if plain else _cdata(text)}</{name}>" for name, text in texts.items())
        return "\n".join([f"<{call.tool}>", *lines, f"</{call.tool}>"])

    def read(self, answer: LlmAnswer, tools: Sequence[Tool]) -> tuple[CallRequest, ...]:
        return MessageParser(answer, {tool.name: ToolForm(tool) for tool in tools}).read()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(thaw(value), ensure_ascii=False)


def _cdata(text: str) -> str:
    return f"{CDATA}{text.replace(CDATA_END, SPLIT_END)}{CDATA_END}"

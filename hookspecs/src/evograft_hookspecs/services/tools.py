"""What hooks get as `ctx.tools`: the tools of the run's plugins."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.types import Tool, ToolCall, ToolResult


class ToolService(Protocol):
    """What hooks get as `ctx.tools`."""

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools that can be called: those of the pipeline's plugins, in its order, as far as it lets agents have them."""

    def call(self, call: ToolCall) -> ToolResult:
        """Lets the plugin that offers the tool carry it out; an unknown tool is a result that is not `ok`."""

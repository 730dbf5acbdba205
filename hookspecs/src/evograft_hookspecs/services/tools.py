"""What hooks get as `ctx.tools`: the tools of the run's plugins."""

from __future__ import annotations

from typing import Protocol

from evograft_hookspecs.types import Tool, ToolCall, ToolResult


class ToolService(Protocol):
    """What hooks get as `ctx.tools`."""

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools that agents may call, in the order of the pipeline's plugins."""

    @property
    def for_candidates(self) -> tuple[Tool, ...]:
        """The tools for agents that work on a candidate: such a call has the candidate's files."""

    def call(self, call: ToolCall) -> ToolResult:
        """Have the plugin that offers the tool carry it out; for an unknown tool the result is not `ok`."""

"""A model may use the pipeline's tools before it writes a program."""

from __future__ import annotations

from typing import Any

import pytest

from evograft_hookspecs import Tool, ToolResult

LOOK = Tool(
    name="look",
    description="Shows a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
CALL = "<look>\n<path>fast.py</path>\n</look>"
PROGRAM = "```python\nx = 2\n```"


class Tools:
    offered = (LOOK,)

    def __init__(self) -> None:
        self.paths: list[Any] = []

    def call(self, call: Any) -> ToolResult:
        self.paths.append(call.arguments["path"])
        return ToolResult(ok=True, content="def fast(): ...")


@pytest.fixture
def tools():
    return Tools()


@pytest.fixture
def desk(desk, tools):
    def desk_with_tools(*answers, **options):
        made = desk(*answers, **options)
        made.tools = tools
        return made

    return desk_with_tools


def test_a_model_with_steps_to_spare_reads_what_a_tool_says_before_it_writes(desk, tools):
    work = desk(CALL, PROGRAM, tool_steps=3)
    assert work.mutate("fresh").source == "x = 2\n"
    assert tools.paths == ["fast.py"]
    assert "def fast(): ..." in work.model.requests[1].messages[-1].content
    assert "## look" in work.model.requests[0].messages[0].content


def test_without_steps_to_spare_no_tool_is_shown(desk):
    work = desk(PROGRAM)
    work.mutate("fresh")
    assert "## look" not in work.model.requests[0].messages[0].content


def test_a_model_that_never_stops_to_look_has_written_no_program(desk, tools):
    work = desk(CALL, CALL, tool_steps=2)
    assert "the answer has no code block" in work.rejection("fresh").reason
    assert tools.paths == ["fast.py", "fast.py"]


def test_prompts_in_japanese_say_so_of_tools_too(desk):
    work = desk(PROGRAM, tool_steps=2, language="ja")
    work.mutate("fresh")
    assert "# ツール" in work.model.requests[0].messages[0].content

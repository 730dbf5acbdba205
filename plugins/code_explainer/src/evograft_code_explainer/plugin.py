"""The plugin: tools with which a model reads a code base."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.options import CodeExplainerOptions
from evograft_code_explainer.tools import complete, list_file, outline, read_file, search
from evograft_code_explainer.tools.tool import ReadingTool
from evograft_hookspecs import CONTRACT, Context, EnvironmentReport, Manifest, ToolCall, ToolResult, hookimpl

TOOLS: dict[str, ReadingTool[Any]] = {
    tool.name: tool for tool in (list_file.TOOL, read_file.TOOL, search.TOOL, outline.TOOL, complete.TOOL)
}


class CodeExplainerPlugin:
    """Tools that answer about the files below a root, change nothing, and read nothing else."""

    manifest: ClassVar = Manifest(
        name="code_explainer",
        description="Tools with which a model reads a code base: listing, reading, searching, outlines.",
        contract=CONTRACT,
        tools=tuple(tool.offer() for tool in TOOLS.values()),
        thread_safe=True,
    )
    Options: ClassVar = CodeExplainerOptions

    def __init__(self, options: CodeExplainerOptions) -> None:
        self.options = options

    @hookimpl
    def setup_env(self, ctx: Context) -> EnvironmentReport | None:
        del ctx
        if Path(self.options.root).is_dir():
            return None
        return EnvironmentReport(status="failed", errors=(f"{self.options.root!r} is no folder: set root to one",))

    @hookimpl
    def tool_call(self, ctx: Context, call: ToolCall) -> ToolResult:
        del ctx
        try:
            return ToolResult(ok=True, content=TOOLS[call.tool].answer(self._repository, call))
        except RequestRefused as err:
            return ToolResult(ok=False, content=str(err))

    @cached_property
    def _repository(self) -> Repository:
        return Repository(self.options)

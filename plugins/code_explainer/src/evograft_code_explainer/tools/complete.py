"""The tool that ends the task."""

from __future__ import annotations

from pydantic import Field

from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.tools.tool import FREE_TEXT, ReadingTool, ToolArguments, japanese


class CompleteArguments(ToolArguments):
    summary: str = Field(
        description="The whole answer to the user's request, in Markdown",
        examples=["what was found"],
        json_schema_extra={**FREE_TEXT, **japanese("ユーザーの依頼への答えの全文 (Markdown)")},
    )


def _complete(repository: Repository, arguments: CompleteArguments) -> str:
    del repository
    if not arguments.summary.strip():
        raise RequestRefused("the summary is empty: write the whole answer into it")
    return arguments.summary


TOOL = ReadingTool(
    name="complete",
    description="Ends the task. The summary is all that the user gets to see: call this when you know the answer.",
    japanese="作業を終えます。ユーザーに見えるのは summary だけです。答えが分かったら呼び出してください。",
    arguments=CompleteArguments,
    run=_complete,
)

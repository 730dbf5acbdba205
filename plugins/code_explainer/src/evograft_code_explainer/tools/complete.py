"""The tool that ends the task."""

from __future__ import annotations

from pydantic import Field

from evograft_code_explainer.files.refusal import Refused
from evograft_code_explainer.files.repository import Repository
from evograft_code_explainer.tools.tool import FREE_TEXT, Arguments, ReadingTool


class Complete(Arguments):
    summary: str = Field(
        description="The whole answer to the user's request, in Markdown",
        examples=["what was found"],
        json_schema_extra=FREE_TEXT,
    )


def _complete(repository: Repository, arguments: Complete) -> str:
    del repository
    if not arguments.summary.strip():
        raise Refused("the summary is empty: write the whole answer into it")
    return arguments.summary


TOOL = ReadingTool(
    name="complete",
    description="Ends the task. The summary is all that the user gets to see: call this when you know the answer.",
    arguments=Complete,
    run=_complete,
)

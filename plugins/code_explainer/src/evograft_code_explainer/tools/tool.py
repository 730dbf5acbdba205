"""A tool: what the model is told of it, what it may be given, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from evograft_code_explainer.files.refusal import RequestRefused
from evograft_code_explainer.files.repository import Repository
from evograft_hookspecs import Tool, ToolCall

FREE_TEXT: dict[str, JsonValue] = {"x-rest": True}
"""In the schema of a text that may hold what looks like its own end: it reaches to the last one."""
PATH: dict[str, JsonValue] = {"format": "path"}
"""In the schema of a path, around which blanks mean nothing."""


def japanese(text: str) -> dict[str, JsonValue]:
    """Return, for a schema, its description for agents that are spoken to in Japanese."""
    return {"x-descriptions": {"ja": text}}


class ToolArguments(BaseModel):
    """Arguments of a tool. A model writes text, so `"true"` and `"12"` are as good as what they stand for."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=ToolArguments)


@dataclass(frozen=True)
class ReadingTool(Generic[A]):
    """A tool that looks at a repository and changes nothing."""

    name: str
    description: str
    """Written for the model that chooses among tools."""
    japanese: str
    """Likewise, in Japanese."""
    arguments: type[A]
    run: Callable[[Repository, A], str]
    """Answers with text for the model; raises `RequestRefused`."""

    def offer(self) -> Tool:
        parameters = {**_schema(self.arguments), **japanese(self.japanese)}
        return Tool(name=self.name, description=self.description, parameters=parameters)

    def answer(self, repository: Repository, call: ToolCall) -> str:
        """Return the answer to a call; raise `RequestRefused`, also for arguments that do not fit."""
        try:
            arguments = self.arguments.model_validate(dict(call.arguments))
        except ValidationError as err:
            raise RequestRefused("; ".join(f"{_place(each['loc'])}{each['msg']}" for each in err.errors())) from err
        return self.run(repository, arguments)


def _place(location: tuple[int | str, ...]) -> str:
    return f"parameter {location[0]}: " if location else ""


def _schema(model: type[ToolArguments]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments, without the titles that pydantic derives from names."""
    schema = model.model_json_schema()
    properties = {
        name: {key: value for key, value in each.items() if key != "title" and value is not None}
        for name, each in schema["properties"].items()
    }
    kept = {key: value for key, value in schema.items() if key in ("type", "required", "additionalProperties")}
    return {**kept, "properties": properties}

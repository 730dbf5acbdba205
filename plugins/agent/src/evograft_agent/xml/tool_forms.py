"""The form of a tool's calls: what its elements are called, as tags name them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from evograft_hookspecs import Tool
from evograft_hookspecs.values import thaw

REST = "x-rest"
"""The keyword of a parameter's schema that says: its value runs to its last closing tag in the message."""


class ToolForm:
    """A tool, and its parameters by their names in lower case, because models shout."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.schemas: Mapping[str, Any] = tool.parameters.get("properties", {})
        self.parameters = {name.lower(): name for name in self.schemas}
        self.paths = frozenset(name.lower() for name, schema in self.schemas.items() if schema.get("format") == "path")
        self.rest = frozenset(name.lower() for name, schema in self.schemas.items() if schema.get(REST))

    def render_example(self) -> str:
        """Return a call with a stand-in for each value.

        Models with little understanding copy it. So a parameter that may be left out is in it only if its schema has an
        example: a stand-in such as `1` would be taken for a value.
        """
        lines = [f"<{name}>{_choose_stand_in(name, self.schemas[name])}</{name}>" for name in self._list_shown()]
        return "\n".join([f"<{self.tool.name}>", *lines, f"</{self.tool.name}>"])

    def _list_shown(self) -> list[str]:
        """List the parameters of the form; all of them if none is required and none has an example."""
        required = self.tool.parameters.get("required", ())
        return [name for name, schema in self.schemas.items() if name in required or schema.get("examples")] or list(
            self.schemas
        )


def build_forms(tools: Iterable[Tool]) -> dict[str, ToolForm]:
    """Return the forms of tools by their names."""
    return {tool.name: ToolForm(tool) for tool in tools}


def _choose_stand_in(name: str, schema: Mapping[str, Any]) -> str:
    examples = schema.get("examples", ())
    if examples:
        return examples[0] if isinstance(examples[0], str) else json.dumps(thaw(examples[0]))
    if "enum" in schema:
        return "|".join(map(str, schema["enum"]))
    return {"boolean": "true", "integer": "1", "number": "1.0", "array": "[]", "object": "{}"}.get(
        str(schema.get("type")), name
    )

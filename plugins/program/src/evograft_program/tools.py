"""The tools that the plugin offers to agents. What carries them out is imported when it is needed."""

from __future__ import annotations

from evograft_hookspecs import FrozenDict, Tool

RUN = Tool(
    name="run",
    description=(
        "Runs a shell line in a copy of the program: to compile it, to try it, to measure. There is no network. What "
        "it writes is gone afterwards. The task's other files are in the folder $TASK."
    ),
    parameters=FrozenDict(
        {
            "type": "object",
            "properties": {"command": {"type": "string", "description": "The shell line."}},
            "required": ["command"],
        }
    ),
    for_candidates=True,
)

"""Calls that are written as JSON, as small models do whatever the instructions are: which values of JSON are calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from evograft_agent.calls.json_text import JsonError, decode
from evograft_hookspecs.values import Json

NAMES = ("tool", "name", "tool_name", "function", "action")
ARGUMENTS = ("parameters", "arguments", "args", "input", "params", "tool_input", "action_input")
LISTS = ("tool_calls", "calls", "tools")
BESIDES = frozenset({"type", "id", "index"})

Parameters = Mapping[str, Collection[str]]
"""Which parameters each tool has."""

_MEANT = re.compile(rf"""[\[\s]*+{{\s*+["'](?:{"|".join(NAMES)})["']\s*+:\s*+["'](?P<tool>\w++)["']""")


@dataclass(frozen=True)
class JsonCall:
    """A tool's name and arguments, as JSON said them."""

    tool: str
    given: tuple[tuple[str, Json], ...] = ()
    fault: str = ""


def find_calls(value: Json, known: Parameters) -> Iterator[JsonCall]:
    """Yield the calls that a value is: one, a list of them, or an object around such a list."""
    if isinstance(value, tuple):
        for item in value:
            yield from find_calls(item, known) if isinstance(item, Mapping) else ()
    elif isinstance(value, Mapping):
        for key in LISTS:
            if isinstance(value.get(key), tuple):
                yield from find_calls(value[key], known)
                return
        yield from _read_call(value, known)


def find_meant_tool(text: str, at: int, known: Collection[str]) -> str:
    """Return the tool that broken JSON at an offset was to call; empty if it was no call."""
    match = _MEANT.match(text, at)
    return match["tool"] if match and match["tool"] in known else ""


def _read_call(value: Mapping[str, Json], known: Parameters) -> Iterator[JsonCall]:
    """Yield the call that an object is.

    Arguments may stand next to the name only under names of the tool's parameters; else any data with a name would be a
    call.
    """
    inner = value.get("function")
    if isinstance(inner, Mapping):
        yield from _read_call(inner, known)
        return
    if len(value) == 1 and (only := next(iter(value))) in known:
        yield _build_call(only, value[only])
        return
    key = next((key for key in NAMES if isinstance(value.get(key), str)), None)
    if key is None:
        return
    holder = next((name for name in ARGUMENTS if name in value), None)
    if holder is not None:
        yield _build_call(value[key], value[holder])
    elif any(name in known.get(value[key], ()) for name in value):
        beside = ((name, item) for name, item in value.items() if name != key and name not in BESIDES)
        yield JsonCall(value[key], tuple(beside))


def _build_call(tool: str, arguments: Json) -> JsonCall:
    if isinstance(arguments, str):
        try:
            arguments, _ = decode(arguments.strip(), 0)
        except JsonError as broken:
            return JsonCall(tool, fault=f"its arguments are no JSON: {broken}")
    if not isinstance(arguments, Mapping):
        return JsonCall(tool, fault="its arguments are no JSON object")
    return JsonCall(tool, tuple(arguments.items()))

"""The arguments of a tool call: from what a model wrote to what the tool's JSON Schema asks for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from evograft.errors import did_you_mean
from evograft_agent.calls.json_text import JsonError, decode
from evograft_hookspecs import FrozenDict, Tool
from evograft_hookspecs.values import Json, thaw

SHOWN = 80
"""How many characters of a wrong value an error shows."""

FAULTS = 5
"""How many mistakes of one call are reported; a message may hold thousands."""

_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,300}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{0,300})?([eE][+-]?[0-9]{1,3})?")


class ArgumentsError(ValueError):
    """Arguments that a tool does not take. The message is for the model: what was given, and what is wanted."""


def fit_arguments(tool: Tool, given: Iterable[tuple[str, Json]]) -> FrozenDict[str, Json]:
    """Return the arguments of a call, text turned into what the schema asks for.

    Args:
        tool: whose parameters they are.
        given: pairs of name and value as they were written, in any case; a name may come twice, which is a mistake.

    Raises:
        ArgumentsError: with everything that is wrong.
    """
    schemas: Mapping[str, Any] = tool.parameters.get("properties", {})
    declared = {name.lower(): name for name in schemas}
    arguments: dict[str, Json] = {}
    faults: list[str] = []
    for written, value in given:
        name = declared.get(written.lower(), written)
        if name in arguments:
            faults.append(f"parameter {name!r} is given twice")
        elif name not in schemas and not _takes_others(tool):
            faults.append(f"there is no parameter {written[:SHOWN]!r}; {did_you_mean(written[:SHOWN], schemas)}")
        if len(faults) == FAULTS:
            break
        arguments[name] = convert(value, schemas.get(name, {}))
    faults += _find_missing(tool, arguments) + _find_blank(schemas, arguments)
    faults = faults or _find_misfits(tool, arguments)
    if faults:
        raise ArgumentsError("; ".join(dict.fromkeys(faults)))
    return FrozenDict(arguments)


def convert(value: Json, schema: Mapping[str, Any]) -> Json:
    """Return the value as the type that a parameter wants if it is text that says such a value, else as it is."""
    wanted = schema.get("type", "string")
    types = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not isinstance(value, str) or "string" in types:
        return value
    readings = (_READERS[each](value.strip()) for each in types if each in _READERS)
    return next((reading for reading in readings if reading is not None), value)


def _takes_others(tool: Tool) -> bool:
    """Return whether a tool takes parameters that it does not declare.

    JSON Schema takes any other parameter unless it says otherwise; here it has to say so.
    """
    return bool(tool.parameters.get("additionalProperties", False))


def _find_missing(tool: Tool, arguments: Mapping[str, Json]) -> list[str]:
    return [f"parameter {name!r} is missing" for name in tool.parameters.get("required", ()) if name not in arguments]


def _find_blank(schemas: Mapping[str, Any], arguments: Mapping[str, Json]) -> list[str]:
    """Find paths, and texts that must not be empty, of nothing but blanks.

    A default in their place would hide the mistake.
    """
    return [
        f"parameter {name!r} is blank"
        for name, value in arguments.items()
        if isinstance(value, str) and not value.strip() and _says_something(schemas.get(name, {}))
    ]


def _says_something(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "path" or schema.get("minLength", 0) > 0


def _find_misfits(tool: Tool, arguments: Mapping[str, Json]) -> list[str]:
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(thaw(tool.parameters)).iter_errors(thaw(arguments))
    return [
        f"parameter {'.'.join(map(str, error.absolute_path))!r}: {_clip(error.message)}"
        for error in islice(errors, FAULTS)
    ]


def _clip(message: str) -> str:
    """Return the message without the middle of a long value, which it begins with."""
    return message if len(message) <= 2 * SHOWN else f"{message[:SHOWN]} … {message[-SHOWN:]}"


def _read_boolean(text: str) -> bool | None:
    return _BOOLEANS.get(text.lower())


def _read_integer(text: str) -> int | None:
    return int(text) if _INTEGER.fullmatch(text) else None


def _read_number(text: str) -> float | None:
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) and math.isfinite(float(text)) else None


def _read_container(text: str) -> Json:
    try:
        value, end = decode(text, 0)
    except JsonError:
        return None
    return value if end == len(text) and not isinstance(value, str) else None


_READERS = {
    "boolean": _read_boolean,
    "integer": _read_integer,
    "number": _read_number,
    "array": _read_container,
    "object": _read_container,
}

"""JSON in the text of a model: read where it stands, with what its values may not be."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from evograft_hookspecs.values import freeze

END_OF_THOUGHTS = "</think>"
MOST_STARTS = 50
"""Opening braces that are looked at; prose before an object may have some."""
DEPTH = 100
"""How deeply values may be nested: far below what Python's stack holds: schemas and logs go through them again."""


class JsonError(ValueError):
    """Text that is not JSON, or JSON that cannot be kept."""

    def __init__(self, message: str, end: int) -> None:
        super().__init__(message)
        self.end = end
        """The first place of the text that was not looked at."""


def decode(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at an offset, deeply read-only, and the offset at which it ends.

    Raises:
        JsonError: there is no JSON, or it is nested too deeply, or holds what no log can keep.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as err:
        raise JsonError(err.msg, max(err.pos, at + 1)) from err
    except ValueError as err:  # a number of thousands of digits, or one of the constants below
        raise JsonError(str(err), at + 1) from err
    except RecursionError as err:
        raise JsonError(_DEEP, at + 1) from err
    return _kept(value, end), end


def get_object(text: str, keys: Collection[str]) -> Mapping[str, Any]:
    """Return the first object in a model's answer that has one of the keys, whatever thoughts and prose are around it.

    Raises:
        ValueError: there is none.
    """
    answer, at = text.rpartition(END_OF_THOUGHTS)[2], -1
    for _ in range(MOST_STARTS):
        at = answer.find("{", at + 1)
        if at < 0:
            break
        try:
            found, _ = decode(answer, at)
        except JsonError:
            continue  # it may be a brace of the prose
        if not found.keys().isdisjoint(keys):
            return dict(found)
    raise ValueError(f"there is no JSON object with {' or '.join(map(repr, keys))} in the answer")


def _kept(value: Any, end: int) -> Any:
    if _is_deep(value):
        raise JsonError(_DEEP, end)
    try:
        return freeze(value)
    except ValueError as err:
        raise JsonError(str(err), end) from err


def _is_deep(value: Any, left: int = DEPTH) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(left == 0 or _is_deep(item, left - 1) for item in items)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DEEP = f"nested more than {DEPTH} deep"
_DECODER = json.JSONDecoder(parse_constant=_refuse)

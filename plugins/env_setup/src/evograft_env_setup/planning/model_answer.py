"""The JSON object in a model's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft_agent.calls.json_text import JsonError, decode

END_OF_THOUGHTS = "</think>"
MOST_STARTS = 50
"""Opening braces that are looked at; prose before an object may have some."""


def find_object(text: str, *keys: str) -> Mapping[str, Any]:
    """Return the first object that has one of the keys, whatever fences and prose stand around it.

    Raises:
        ValueError: there is none.
    """
    answer = text.rpartition(END_OF_THOUGHTS)[2]
    at = answer.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            break
        try:
            found, end = decode(answer, at)
        except JsonError:
            end = at + 1  # it may be a brace of the prose
        else:
            if not found.keys().isdisjoint(keys):
                return dict(found)
        at = answer.find("{", end)
    raise ValueError(f"there is no JSON object with {' or '.join(map(repr, keys))} in the answer")

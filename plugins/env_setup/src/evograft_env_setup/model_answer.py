"""The JSON object in a model's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evograft.agent.json_text import JsonError, decoded

END_OF_THOUGHTS = "</think>"
MOST_STARTS = 50
"""So many opening braces are looked at; prose before an object may have some."""


def find_object(text: str, key: str) -> Mapping[str, Any]:
    """The first object that has a key, whatever fences and prose stand around it.

    Raises:
        ValueError: there is none.
    """
    answer = text.rpartition(END_OF_THOUGHTS)[2]
    at = answer.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            break
        try:
            found, end = decoded(answer, at)
        except JsonError:
            end = at + 1  # it may be a brace of the prose
        else:
            if key in found:
                return dict(found)
        at = answer.find("{", end)
    raise ValueError(f"there is no JSON object with {key!r} in the answer")

"""What models read about a candidate: whatever an evaluator said, as lines of bounded length."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from evograft_program.answers.decoding import MetricsAndArtifacts, OpaqueObject

LONGEST = 20_000
"""Characters of all feedback together."""
LONGEST_ENTRY = 8_000
LONGEST_NAME = 200
MOST_DEPTH = 60
MOST_ITEMS = 1_000
"""Of a list that is described: more would be cut anyway, and takes time."""
MOST_BITS = 1_000
"""Larger integers are shown in hexadecimal: Python refuses to write very large ones in decimal."""


def clean_text(text: str) -> str:
    """Return a text that UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def clean_name(name: object) -> str:
    """Return a key of a dict as the name of a metric."""
    return clean_text(str(name))[:LONGEST_NAME]


def cut_middle(text: str, most: int = LONGEST) -> str:
    """Return a text of `most` characters at most, and where it is longer how much is left out of its middle."""
    if len(text) <= most:
        return text
    note = f"\n… {len(text) - most} characters left out …\n"
    half = (most - len(note)) // 2
    return f"{text[:half]}{note}{text[-half:]}"


def describe(value: object) -> str:
    """Return a value as a model may read it: text as it is, all else as JSON, long lists without their middle."""
    data = to_json(value, most_items=MOST_ITEMS)
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def to_json(value: object, *, most_items: int | None = None, depth: int = 0) -> object:
    """Return a value as JSON can hold it; what it cannot is its text.

    Args:
        value: as it was decoded.
        most_items: of a longer list, only the items at its ends are taken; `None`: all.
        depth: how deep in another value this one lies.
    """
    if depth > MOST_DEPTH:
        return "…"
    if isinstance(value, MetricsAndArtifacts):
        value = {"metrics": value.metrics, "artifacts": value.artifacts}
    convert = partial(to_json, most_items=most_items, depth=depth + 1)
    if isinstance(value, Mapping):
        return {clean_text(str(key)): convert(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [convert(each) for each in _shorten(value, most_items)]
    return _scalar(value)


def _shorten(values: Sequence[object], most: int | None) -> Sequence[object]:
    if most is None or len(values) <= most:
        return values
    half = most // 2
    return [*values[:half], f"… {len(values) - 2 * half} left out …", *values[-half:]]


def _scalar(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= MOST_BITS else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return _to_text(value)


def _to_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, OpaqueObject):
        return clean_text(value.text)
    return clean_text(value if isinstance(value, str) else repr(value))


def limit(value: object) -> object:
    """Return a value as JSON, or where that is long what there is at its ends, as text."""
    text = describe(value)
    return to_json(value, most_items=MOST_ITEMS) if len(text) <= LONGEST_ENTRY else cut_middle(text, LONGEST_ENTRY)


def write_feedback(entries: Iterable[tuple[str, object]]) -> str:
    """Return entries as text: `name: text`, with the text below its name where it has several lines."""
    return cut_middle("\n".join(_entry(name, value) for name, value in entries if value is not None and value != ""))


def _entry(name: str, value: object) -> str:
    text = cut_middle(describe(value).strip("\n"), LONGEST_ENTRY)
    if not name:
        return text
    return f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"

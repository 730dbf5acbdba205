"""Values that come from the worker: JSON, with tags for what JSON cannot hold."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from evograft_program.worker.encoding import TAG

MOST_DEPTH = 60
MOST_VALUES = 1_000_000
FLOATS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


@dataclass(frozen=True)
class OpaqueObject:
    """An object that could not be handed over, as its `repr`."""

    text: str


@dataclass(frozen=True)
class MetricsAndArtifacts:
    """What OpenEvolve calls an EvaluationResult."""

    metrics: dict[Any, Any] = field(default_factory=dict)
    artifacts: dict[Any, Any] = field(default_factory=dict)


def decode(value: object) -> object:
    """Return the value that JSON data stands for.

    Raises:
        ValueError: an unknown tag, a tag with the wrong content, or too much of anything.
    """
    return _Decoder().decode(value, 0)


class _Decoder:
    def __init__(self) -> None:
        self._left = MOST_VALUES
        self._tags: dict[str, Callable[[object, int], object]] = {
            "float": _float,
            "bytes": _bytes,
            "repr": _opaque,
            "result": self._result,
            "tuple": lambda value, depth: tuple(self._items(_list_of(value), depth)),
            "dict": self._pairs,
        }

    def decode(self, value: object, depth: int) -> object:
        self._left -= 1
        if depth > MOST_DEPTH or self._left < 0:
            raise ValueError(f"it is nested deeper than {MOST_DEPTH}, or has more than {MOST_VALUES} parts")
        if isinstance(value, list):
            return self._items(value, depth)
        if isinstance(value, dict):
            return self._tagged(value, depth) if TAG in value else self._mapping(value, depth)
        return value

    def _items(self, values: Iterable[object], depth: int) -> list[object]:
        return [self.decode(each, depth + 1) for each in values]

    def _mapping(self, value: dict[str, object], depth: int) -> dict[object, object]:
        return {key: self.decode(each, depth + 1) for key, each in value.items()}

    def _tagged(self, value: dict[str, object], depth: int) -> object:
        tag = value[TAG]
        if not isinstance(tag, str) or tag not in self._tags or set(value) != {TAG, "v"}:
            raise ValueError(f"the tag {str(tag)[:40]!r} is unknown, or has not one value")
        return self._tags[tag](value["v"], depth)

    def _result(self, value: object, depth: int) -> MetricsAndArtifacts:
        if not isinstance(value, dict) or set(value) != {"metrics", "artifacts"}:
            raise ValueError("a result has metrics and artifacts")
        metrics, artifacts = (self.decode(value[name], depth + 1) for name in ("metrics", "artifacts"))
        return MetricsAndArtifacts(_dict_of(metrics), _dict_of(artifacts))

    def _pairs(self, value: object, depth: int) -> dict[object, object]:
        found: dict[object, object] = {}
        for pair in _list_of(value):
            key, item = self._items(_pair(pair), depth)
            if not _can_be_hashed(key):
                raise ValueError("a key of a dict cannot be hashed")
            found[key] = item
        return found


def _pair(value: object) -> list[object]:
    pair = _list_of(value)
    if len(pair) != 2:  # noqa: PLR2004 - a key and its value
        raise ValueError("an item of a dict is a key and a value")
    return pair


def _can_be_hashed(key: object) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _list_of(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"a list was expected, not {type(value).__name__}")  # noqa: TRY004 - the data is at fault
    return value


def _dict_of(value: object) -> dict[object, object]:
    """Return a dict; whatever else an evaluator gave in its place is one odd entry, for the reader to tell."""
    return value if isinstance(value, dict) else {"not a dict": value} if value is not None else {}


def _float(value: object, _: int) -> float:
    if not isinstance(value, str) or value not in FLOATS:
        raise ValueError("a tagged float is nan, inf or -inf")
    return FLOATS[value]


def _bytes(value: object, _: int) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error as err:
        raise ValueError(f"bytes are in base64: {err}") from err


def _opaque(value: object, _: int) -> OpaqueObject:
    return OpaqueObject(str(value))

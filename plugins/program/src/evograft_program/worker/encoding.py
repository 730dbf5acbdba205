"""Values of any kind as JSON: what JSON cannot hold is tagged."""

from __future__ import annotations

import base64
import math
from typing import Any

TAG = "$"
"""The key of what JSON cannot hold: its kind, and under `v` its value."""
MOST_TEXT = 200_000
MOST_ITEMS = 100_000
MOST_DEPTH = 20
LARGEST = 2**63
ARRAYS = ("numpy", "jax", "jaxlib", "torch")
"""Packages whose numbers and arrays are told as plain ones; none is imported for it."""


def encode(value: Any, depth: int = 0) -> Any:
    """Return JSON data for a value; one that has no form of its own becomes its `repr`."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value[:MOST_TEXT])
    if isinstance(value, int):
        return int(value) if abs(value) < LARGEST else _encode_other(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _tag("float", repr(float(value)))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _tag("bytes", base64.b64encode(bytes(value)).decode())
    return _encode_other(value) if depth >= MOST_DEPTH else _encode_structure(value, depth + 1)


def _encode_structure(value: Any, depth: int) -> Any:
    if isinstance(value, dict):
        return _encode_dict(value, depth)
    if isinstance(value, list):
        return [encode(item, depth) for item in value[:MOST_ITEMS]]
    if isinstance(value, tuple):
        return _tag("tuple", [encode(item, depth) for item in value[:MOST_ITEMS]])
    if hasattr(value, "metrics") and hasattr(value, "artifacts"):
        parts = {"metrics": encode(value.metrics, depth), "artifacts": encode(value.artifacts, depth)}
        return _tag("result", parts)
    if type(value).__module__.split(".")[0] in ARRAYS and hasattr(value, "tolist"):
        return encode(value.tolist(), depth)
    return _encode_other(value)


def _encode_dict(value: dict[Any, Any], depth: int) -> Any:
    items = list(value.items())[:MOST_ITEMS]
    if all(isinstance(key, str) and key != TAG for key, _ in items):
        return {str(key): encode(item, depth) for key, item in items}
    return _tag("dict", [[encode(key, depth), encode(item, depth)] for key, item in items])


def _encode_other(value: Any) -> Any:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - its `__repr__` is anybody's
        text = f"<{type(value).__name__}>"
    return _tag("repr", text[:MOST_TEXT])


def _tag(kind: str, value: Any) -> dict[str, Any]:
    return {TAG: kind, "v": value}

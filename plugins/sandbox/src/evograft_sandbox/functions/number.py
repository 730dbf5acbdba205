"""The value rule: what a candidate returns counts if it is one finite real number."""

from __future__ import annotations

import math
import sys
from typing import Any


class NotANumber(ValueError):  # noqa: N818 - it says what came back
    """The candidate returned something that is not a value; the text says what."""


def to_float(value: Any) -> float:
    """Convert an int, a float or their numpy kin; a 0-d array counts as the number in it.

    Raises:
        NoNumber: anything else, `bool` and `complex` included, and what is not finite.
        OverflowError: an int beyond float64.
    """
    kind = type(value)
    if kind is not float:
        numpy = sys.modules.get("numpy")
        if numpy is not None and kind is numpy.ndarray and value.ndim == 0:
            value = value[()]
            kind = type(value)
        if not _is_real(kind, numpy):
            raise NotANumber(f"returned {_name(value, kind)}, not a number")
        value = float(value)
    if not math.isfinite(value):
        raise NotANumber(f"returned {value!r}")
    return value  # type: ignore[no-any-return]


def _is_real(kind: type, numpy: Any) -> bool:
    if issubclass(kind, (int, float)):
        return not issubclass(kind, bool)
    return numpy is not None and issubclass(kind, (numpy.integer, numpy.floating))


def _name(value: Any, kind: type) -> str:
    if value is None:
        return "None (is a return missing?)"
    if kind.__name__ != "ndarray":
        return kind.__name__
    # A longer shape would be a way to pass numbers on.
    return f"an array of shape {value.shape}" if value.size == 1 else f"an array of {value.size} values"

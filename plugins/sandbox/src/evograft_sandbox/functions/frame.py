"""The frame that a candidate's process writes to a private pipe: a token, the values, and a trailer with the errors."""

from __future__ import annotations

import array
import json
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

TOKEN_SIZE = 16
HEADER = struct.Struct(f"<{TOKEN_SIZE}sII")
MAX_TRAILER = 8192
MAX_TEXT = 300
SHOWN_ITEMS = 3


class FrameBroken(ValueError):  # noqa: N818 - it says what happened
    """The bytes are not a frame: the candidate interfered, or its process ended early."""


@dataclass(frozen=True)
class Frame:
    """A candidate's answer, checked."""

    values: array.array[float]
    """Finite numbers and NaN; empty if there is an error."""
    error: str
    item_errors: tuple[tuple[int, str], ...]


def max_frame(items: int) -> int:
    """Return the most bytes that a frame for a given number of items may have."""
    return HEADER.size + 8 * items + MAX_TRAILER


def pack_frame(
    token: bytes, values: array.array[float], error: str = "", item_errors: Sequence[tuple[int, str]] = ()
) -> bytes:
    trailer = json.dumps([one_line(error), [[index, one_line(text)] for index, text in item_errors]]).encode()
    return HEADER.pack(token, len(values), len(trailer)) + values.tobytes() + trailer


def unpack_frame(data: bytes, *, token: bytes, items: int) -> Frame:
    """Read a frame that may have been written by anybody.

    Raises:
        FrameBroken: it is not exactly what `pack_frame` makes for this token and this number of items.
    """
    if len(data) < HEADER.size:
        raise FrameBroken("too short")
    found, count, trailer_size = HEADER.unpack_from(data)
    if found != token or len(data) != HEADER.size + 8 * count + trailer_size:
        raise FrameBroken("wrong token or length")
    error, item_errors = _read_trailer(data[HEADER.size + 8 * count :])
    if count != (0 if error else items):
        raise FrameBroken("wrong number of values")
    values = array.array("d")
    values.frombytes(data[HEADER.size : HEADER.size + 8 * count])
    values = array.array("d", (value if math.isfinite(value) else math.nan for value in values))
    failed = tuple((index, text) for index, text in item_errors if index < count and math.isnan(values[index]))
    return Frame(values, error, failed[:SHOWN_ITEMS])


def one_line(text: str, most: int = MAX_TEXT) -> str:
    """Return text as it may stand in a log or a prompt: one line, of bounded length, that UTF-8 can hold."""
    words = " ".join(text[: 4 * MAX_TEXT].encode("utf-8", "replace").decode().split())
    clean = "".join(char if char.isprintable() else "?" for char in words)
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def _read_trailer(data: bytes) -> tuple[str, list[tuple[int, str]]]:
    try:
        error, pairs = json.loads(data)
        items = [(index, text) for index, text in pairs]
    except (ValueError, TypeError, RecursionError) as err:
        raise FrameBroken("a trailer that is no JSON of the right shape") from err
    if not isinstance(error, str) or not all(_is_item_error(index, text) for index, text in items):
        raise FrameBroken("a trailer with wrong types")
    return one_line(error), [(index, one_line(text)) for index, text in items]


def _is_item_error(index: object, text: object) -> bool:
    return type(index) is int and index >= 0 and isinstance(text, str)

"""Byte order marks, by which a text says its encoding. Public: plugins may import it."""

from __future__ import annotations

import codecs
from typing import NamedTuple

# The mark of UTF-32 begins like that of UTF-16, so it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)


class Marked(NamedTuple):
    encoding: str
    """As Python names it, for bytes without a mark."""
    data: bytes
    """What stands behind the mark."""


def find_mark(data: bytes) -> Marked | None:
    """Return the encoding that a text's first bytes name; `None`: they are not a mark."""
    return next((Marked(encoding, data[len(mark) :]) for mark, encoding in _MARKS if data.startswith(mark)), None)

"""What a program prints about itself on its standard error, as `key=value`."""

from __future__ import annotations

import re

from evograft_hookspecs import FrozenDict

MOST = 24
"""Keys of a program."""
READ = 65_536
"""Bytes from the end that are looked at: what a search comes to stands last."""

_PAIR = re.compile(
    r"(?<![\w.])(?P<key>[A-Za-z_][\w.]{0,31})[ \t]*=[ \t]*"
    r"(?P<value>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?)"
    # No part of something longer, such as 3,000, 1/2 or 12:30; in a=3,b=4 the comma parts two pairs.
    r"(?![\w.]|[,/:'*+-]\d)"
)


def read_values(stderr: bytes) -> FrozenDict[str, float]:
    """Return the numbers given as `key=value`, the last one of each key; of more than `MOST` keys the first."""
    found = {hit["key"]: float(hit["value"]) for hit in _PAIR.finditer(stderr[-READ:].decode(errors="replace"))}
    return FrozenDict(dict(list(found.items())[:MOST]))

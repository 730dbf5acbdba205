"""Structured findings in a few lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evograft.pages.clip import told
from evograft_hookspecs.values import thaw

MANY = 30
"""A mapping with more entries is only counted."""
WIDTH = 1000


def outline(data: Mapping[str, Any], *, indent: str = "") -> Iterator[str]:
    """A line for each value, those of a mapping below its name."""
    for name, value in data.items():
        if not isinstance(value, Mapping):
            yield f"{indent}{_line(name)}: {_inline(value)}"
        elif len(value) > MANY:
            yield f"{indent}{_line(name)}: {len(value)} entries"
        else:
            yield f"{indent}{_line(name)}"
            yield from outline(value, indent=f"{indent}  ")


def _inline(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(thaw(value), ensure_ascii=False)
    return _line(text)


def _line(text: str) -> str:
    return told(" ".join(text.split()), WIDTH)

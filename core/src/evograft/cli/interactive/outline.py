"""Structured findings in a few lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evograft.text.escapes import sanitize
from evograft_hookspecs.values import thaw

MANY = 30
"""A mapping with more entries is only counted."""
WIDTH = 1000


def outline(data: Mapping[str, Any], *, indent: str = "") -> Iterator[str]:
    """Yield a line for each value that says something, those of a mapping below its name."""
    for name, value in data.items():
        if _is_empty(value):
            continue
        if not isinstance(value, Mapping):
            yield f"{indent}{_line(name)}: {_inline(value)}"
        elif len(value) > MANY:
            yield f"{indent}{_line(name)}: {len(value)} entries"
        elif _is_flat(value):
            yield f"{indent}{_line(name)}: {_listed(value)}"
        else:
            yield f"{indent}{_line(name)}"
            yield from outline(value, indent=f"{indent}  ")


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", (), [], {})


def _is_flat(value: Mapping[str, Any]) -> bool:
    """Return whether it is short enough for a line: numbers and a few words."""
    return (
        all(not isinstance(part, Mapping | tuple | list) for part in value.values())
        and len(_listed(value)) <= WIDTH // 5
    )


def _listed(value: Mapping[str, Any]) -> str:
    return ", ".join(f"{_line(name)} {_inline(part)}" for name, part in value.items() if not _is_empty(part))


def _inline(value: Any) -> str:
    return _line(value if isinstance(value, str) else json.dumps(_said(thaw(value)), ensure_ascii=False))


def _said(value: Any) -> Any:
    """Return the value without what says nothing."""
    if isinstance(value, dict):
        return {name: _said(part) for name, part in value.items() if not _is_empty(part)}
    return [_said(part) for part in value] if isinstance(value, list) else value


def _line(text: str) -> str:
    return sanitize(" ".join(text.split()), WIDTH)

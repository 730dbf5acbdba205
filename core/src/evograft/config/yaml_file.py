"""YAML files, read strictly: a key that is given twice is an error."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from evograft.errors import UserError

MOST_NESTED = 2000
"""Levels of YAML that are left to libyaml, which dies of some ten thousand."""


def read_yaml(path: Path) -> Any:
    """Read a YAML file; a missing or malformed one, or a key given twice, is a UserError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not UTF-8 text"
        raise UserError(f"cannot read {str(path)!r}: {reason}") from err
    return parse_yaml(text, source=str(path))


def parse_yaml(text: str, *, source: str) -> Any:
    try:
        return _parsed(text)
    except (yaml.YAMLError, RecursionError) as err:
        mark = getattr(err, "problem_mark", None)
        place = f" line {mark.line + 1}" if mark else ""
        problem = getattr(err, "problem", None) or str(err).splitlines()[0]
        raise UserError(f"{source}:{place} is not valid YAML: {problem}") from err


def _parsed(text: str) -> Any:
    # libyaml is several times as fast, where PyYAML was built with it; what is wrong PyYAML itself says more clearly.
    if hasattr(yaml, "CSafeLoader") and _is_shallow(text):
        with suppress(yaml.YAMLError):
            return yaml.load(text, Loader=_FastLoader)  # noqa: S506 - a SafeLoader that also refuses double keys
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - likewise


def _is_shallow(text: str) -> bool:
    """Return whether a text cannot be nested so deeply that the parser in C, which recurses, runs out of its stack."""
    indented = max(map(len, text.splitlines()), default=0)
    return text.count("[") + text.count("{") + indented < MOST_NESTED


class _WithoutDoubleKeys(yaml.constructor.SafeConstructor):
    """A key given twice is an error: plain YAML would silently drop the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen = set()
        for key_node, _ in node.value:
            key = key_node.value
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, "a key is text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


class _StrictLoader(_WithoutDoubleKeys, yaml.SafeLoader):
    """Wholly in Python."""


class _FastLoader(_WithoutDoubleKeys, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Its parser in C, where there is one."""

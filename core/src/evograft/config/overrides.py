"""Overrides of single settings: `--set a.b=c`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evograft.config.yaml_file import parse_yaml
from evograft.errors import UserError, did_you_mean
from evograft_hookspecs.values import thaw


def with_overrides(data: Mapping[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """Apply `a.b=c` assignments to pipeline data; a part of the path under `plugins` is a plugin's name.

    Values are YAML: `--set budget.trials=600`, `--set plugins.islands.with.elites=16`.
    """
    result: dict[str, Any] = thaw(data)
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not path.strip():
            raise UserError(f"--set {assignment!r}: write it as KEY=VALUE, such as budget.trials=600")
        _assign(result, path.strip().split("."), parse_yaml(text, source=f"--set {path}"), assignment)
    return result


def _assign(data: dict[str, Any], path: list[str], value: Any, assignment: str) -> None:
    # Operators' ids hold a dot of their own.
    if path[0] == "operators" and len(path) > 1:
        path = ["operators", ".".join(path[1:])]
    if path == ["llm", "model"]:
        path, value = ["llm", "models"], [value]
    place: Any = data
    for part in path[:-1]:
        place = _step(place, part, assignment)
    if not isinstance(place, dict):
        raise UserError(f"--set {assignment!r}: {path[-2]!r} has no keys")
    place[path[-1]] = value


def _step(place: Any, part: str, assignment: str) -> Any:
    if isinstance(place, list):
        place[:] = [{"name": item} if isinstance(item, str) else item for item in place]
        names = [item.get("name") for item in place if isinstance(item, dict)]
        if part in names:
            return place[names.index(part)]
        raise UserError(
            f"--set {assignment!r}: no plugin {part!r} in the pipeline; {did_you_mean(part, map(str, names))}"
        )
    if not isinstance(place, dict):
        raise UserError(f"--set {assignment!r}: there is nothing below {part!r}")
    if place.get(part) is None:
        place[part] = {}
    return place[part]

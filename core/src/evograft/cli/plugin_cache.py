"""What `evo plugins` found last time: importing every plugin to list it costs more than all the rest of the command."""

from __future__ import annotations

import importlib.util
import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from evograft.plugin.entry_points import origin_of
from evograft.user_folders import ensure_cache_folder


def stamp(entries: list[EntryPoint]) -> str:
    """Return a stamp that changes with a plugin: its distribution, its entry point, or a file of its package."""
    parts = [f"{origin_of(entry)} {entry.value} {_newest_file(entry)}" for entry in entries]
    return "; ".join(parts)


def _newest_file(entry: EntryPoint) -> int:
    try:
        spec = importlib.util.find_spec(entry.module.partition(".")[0])
    except (ImportError, ValueError):
        return 0
    if spec is None or spec.origin is None:
        return 0
    files = Path(spec.origin).parent.rglob("*.py") if spec.submodule_search_locations else [Path(spec.origin)]
    return max((file.stat().st_mtime_ns for file in files), default=0)


def read_cache() -> dict[str, Any]:
    try:
        found = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_cache(rows: dict[str, Any], known: dict[str, Any]) -> None:
    if rows == known:
        return
    try:
        _path().write_text(json.dumps(rows), encoding="utf-8")
    except OSError:
        return  # a cache that cannot be written costs a moment next time


def _path() -> Path:
    return ensure_cache_folder() / "plugins.json"

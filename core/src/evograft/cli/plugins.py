"""`evo plugins`, and what it found last time: importing every plugin costs more than all the rest of the command."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import asdict, dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click

from evograft.cli_kit.printing import print_json
from evograft.errors import PluginError
from evograft.plugin.entry_points import installed, origin_of
from evograft.text.escapes import escape_controls
from evograft.user_folders import ensure_cache_folder


@dataclass(frozen=True)
class Listed:
    """A row of the list."""

    name: str
    origin: str
    description: str
    operators: tuple[str, ...]
    tools: tuple[str, ...]
    preset: bool
    problem: str
    """Why it cannot be used; empty: it can."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(*, as_json: bool) -> None:
    """List the plugins that are installed, with what they offer; a broken one is named with the cause."""
    found, known = installed(), _read_cache()
    rows = [_listed(name, found[name], known) for name in sorted(found)]
    # What is broken is looked at anew each time: its cause may lie elsewhere.
    _write_cache({_stamp(found[row.name]): asdict(row) for row in rows if not row.problem}, known)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    for row in rows:
        click.echo(f"{row.name:20} {row.origin}{'  [evo run --plugin ' + row.name + ']' if row.preset else ''}")
        if row.problem or row.description:
            click.echo(f"    {escape_controls(f'BROKEN: {row.problem}' if row.problem else row.description)}")
        for kind, offered in (("operators", row.operators), ("tools", row.tools)):
            if offered:
                click.echo(f"    {kind}: {', '.join(offered)}")


def _listed(name: str, entries: list[EntryPoint], known: dict[str, Any]) -> Listed:
    """Return the row of a plugin: from the cache if nothing of it has changed, else from the imported plugin."""
    key = _stamp(entries)
    if key in known:
        row = known[key]
        return Listed(**{**row, "operators": tuple(row["operators"]), "tools": tuple(row["tools"])})
    from evograft.plugin.discovery import find_plugin

    origin = " and ".join(map(origin_of, entries))
    try:
        manifest = find_plugin(name).manifest
    except PluginError as err:
        return Listed(name, origin, "", (), (), preset=False, problem=str(err))
    operators = tuple(operator.name for operator in manifest.operators)
    tools = tuple(tool.name for tool in manifest.tools)
    return Listed(name, origin, manifest.description, operators, tools, preset=bool(manifest.preset), problem="")


def _stamp(entries: list[EntryPoint]) -> str:
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


def _read_cache() -> dict[str, Any]:
    try:
        found = json.loads(_cache_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_cache(rows: dict[str, Any], known: dict[str, Any]) -> None:
    if rows == known:
        return
    try:
        _cache_path().write_text(json.dumps(rows), encoding="utf-8")
    except OSError:
        return  # a cache that cannot be written costs a moment next time


def _cache_path() -> Path:
    return ensure_cache_folder() / "plugins.json"

"""`evo plugins`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.metadata import EntryPoint
from typing import Any

import click

from evograft.cli.plugin_cache import read_cache, stamp, write_cache
from evograft.cli_kit.printing import print_json
from evograft.errors import PluginError
from evograft.plugin.entry_points import installed, origin_of
from evograft.text.escapes import escape_controls


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
    found, known = installed(), read_cache()
    rows = [_listed(name, found[name], known) for name in sorted(found)]
    # What is broken is looked at anew each time: its cause may lie elsewhere.
    write_cache({stamp(found[row.name]): asdict(row) for row in rows if not row.problem}, known)
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
    key = stamp(entries)
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

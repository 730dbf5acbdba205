"""`evo plugins`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import click

from evograft.discovery import find_plugin, installed, origin_of
from evograft.errors import PluginError


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
    rows = [_listed(name) for name in sorted(installed())]
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows]))
        return
    for row in rows:
        click.echo(f"{row.name:20} {row.origin}{'  [evo run --plugin ' + row.name + ']' if row.preset else ''}")
        if row.problem or row.description:
            click.echo(f"    {'BROKEN: ' + row.problem if row.problem else row.description}")
        for kind, offered in (("operators", row.operators), ("tools", row.tools)):
            if offered:
                click.echo(f"    {kind}: {', '.join(offered)}")


def _listed(name: str) -> Listed:
    origin = " and ".join(map(origin_of, installed()[name]))
    try:
        manifest = find_plugin(name).manifest
    except PluginError as err:
        return Listed(name, origin, "", (), (), preset=False, problem=str(err))
    operators = tuple(operator.name for operator in manifest.operators)
    tools = tuple(tool.name for tool in manifest.tools)
    return Listed(name, origin, manifest.description, operators, tools, preset=bool(manifest.preset), problem="")

"""`evo ahc config`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evograft_ahc.settings import Setting


@click.command()
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--user", is_flag=True, help="Set it in ~/.ahc_agent/config.yaml, also from inside a workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def config(key: str | None, value: str | None, *, user: bool, as_json: bool) -> None:
    """Show all settings and where each is from, show one KEY, or set it to VALUE.

    A KEY is dotted, such as llm.model; a VALUE is YAML. Inside a workspace it goes into the workspace's file.
    """
    from evograft_ahc.commands.here import workspace_here
    from evograft_ahc.settings import load_settings, user_config

    workspace = workspace_here()
    if key is not None and value is not None:
        from evograft_ahc.config_file import save_setting

        save_setting(user_config() if user or workspace is None else workspace.config, key, value)
    loaded = load_settings(workspace)
    _show(loaded.all() if key is None else (loaded.get(key),), as_json=as_json)


def _show(settings: tuple[Setting, ...], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({each.key: {"value": each.value, "source": each.source} for each in settings}))
        return
    for each in settings:
        text = each.value if isinstance(each.value, str) else json.dumps(each.value, ensure_ascii=False)
        click.echo(f"{each.key} = {text}  ({each.source})")

"""`evo config`."""

from __future__ import annotations

import click

from evograft.cli_kit.printing import print_json
from evograft.errors import UserError, did_you_mean


@click.command()
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def config(key: str | None, value: str | None, *, as_json: bool) -> None:
    """Show your settings, show one KEY, or set it to VALUE."""
    from evograft.config.user_settings import load_settings, save_setting, settings_path

    settings = load_settings() if key is None or value is None else save_setting(key, value)
    values = settings.model_dump()
    if key is not None and key not in values:
        raise UserError(f"unknown setting {key!r}; {did_you_mean(key, values)}")
    shown = values if key is None else {key: values[key]}
    if as_json:
        print_json(shown)
        return
    for name, held in shown.items():
        click.echo(f"{name} = {held}")
        if key is None:
            click.echo(f"    {_meaning(name)}")
    if key is None:
        click.echo(f"file: {settings_path()}")


def _meaning(name: str) -> str:
    from evograft.config.user_settings import Settings

    return Settings.model_fields[name].description or ""

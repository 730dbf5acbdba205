"""`evo env clean`."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--kept", is_flag=True, help="Also what was set up, with the packages that are kept for other times.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def clean(*, kept: bool, as_json: bool) -> None:
    """Remove containers and folders of set-ups that were killed; what runs at the moment stays."""
    from evograft_env_setup.commands.cleaning import cleaned

    removed, missing = cleaned(kept=kept)
    if as_json:
        click.echo(json.dumps({"removed": removed, "errors": missing}, ensure_ascii=False))
        return
    for line in missing:
        click.echo(f"warning: {line}", err=True)
    click.echo("\n".join(f"removed {each}" for each in removed) if removed else "nothing to remove")

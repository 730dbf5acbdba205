"""`evo env clean`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click


@click.command()
@click.option("--kept", is_flag=True, help="Also what was set up, with the packages that are kept for other times.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def clean(*, kept: bool, as_json: bool) -> None:
    """Remove containers and folders of set-ups that were killed; what runs at the moment stays."""
    from evograft_env_setup.commands.removal import clean_up

    done = clean_up(kept=kept)
    if as_json:
        click.echo(json.dumps(asdict(done), ensure_ascii=False))
        return
    for line in done.errors:
        click.echo(f"warning: {line}", err=True)
    for each in done.in_use:
        click.echo(f"in use, and stays: {each}", err=True)
    click.echo("\n".join(f"removed {each}" for each in done.removed) if done.removed else "nothing to remove")

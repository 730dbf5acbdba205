"""All known runs, a line each."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evograft.cli.description import best_of, trials_of
from evograft.errors import EvograftError
from evograft.rundir import known_runs
from evograft.standing import standing_of


def print_all(runs: Path, *, as_json: bool) -> None:
    """Prints how every known run stands."""
    standings = []
    for path in known_runs(runs):
        try:
            standings.append(standing_of(path))
        except EvograftError as err:
            click.echo(f"{path.name}: {err}", err=True)
    if as_json:
        click.echo(json.dumps([standing.to_data() for standing in standings]))
        return
    for standing in standings:
        click.echo(f"{standing.run:24} {standing.state:24} {trials_of(standing):>15}  best {best_of(standing)}")

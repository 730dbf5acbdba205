"""`evo status`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("run", default="latest")
@click.option("--all", "every", is_flag=True, help="All runs that are known, a line each.")
@click.option(
    "--watch", is_flag=True, help="Show it again every second until the run ends; Ctrl-C leaves the run alone."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch an object a line.")
def status(run: str, *, every: bool, watch: bool, as_json: bool) -> None:
    """Say how RUN (a name, id, path, or `latest`) stands.

    Generation, best score, what is running now, approaches tried with their results, tokens, dollars, rate, elapsed and
    remaining time, failures by reason.
    """
    from evograft.cli.description import describe
    from evograft.cli.overview import print_all
    from evograft.cli.watch import watch_run
    from evograft.rundir import find_run
    from evograft.settings import load_settings
    from evograft.standing import watching

    runs = Path(load_settings().runs_dir)
    if every:
        print_all(runs, as_json=as_json)
        return
    with watching(find_run(run, runs=runs)) as watcher:
        if watch:
            watch_run(watcher, as_json=as_json)
        else:
            standing = watcher.look()
            click.echo(json.dumps(standing.to_data()) if as_json else describe(standing))

"""`evo status`: its options. What does the work is imported when it is called, so that help is quick."""

from __future__ import annotations

from pathlib import Path

import click

from evograft.cli_kit.printing import print_json


@click.command()
@click.argument("run", required=False)
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="All known runs, a line each; RUN is then a pattern such as 'tsp-*', or a database's URL.",
)
@click.option(
    "--watch", is_flag=True, help="Show it again every second until the run ends; Ctrl-C leaves the run alone."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch an object a line.")
def status(run: str | None, *, every: bool, watch: bool, as_json: bool) -> None:
    """Show the state of RUN (a name, id, path, URL#RUN, or `latest`, which is the default).

    Generation, best score, what each trial in flight is doing, operators with their results, tokens, dollars, rate,
    elapsed and remaining time, failures by reason.
    """
    from evograft.cli.description import describe
    from evograft.cli.overview import print_all
    from evograft.cli.watch import watch_run
    from evograft.config.user_settings import load_settings
    from evograft.runs.index import find_run
    from evograft.runs.status import watching

    runs = Path(load_settings().runs_dir)
    if every:
        print_all(runs, run, as_json=as_json)
        return
    with watching(find_run(run or "latest", runs=runs)) as watcher:
        if watch:
            watch_run(watcher, as_json=as_json)
        else:
            standing = watcher.look()
            if as_json:
                print_json(standing.to_data())
            else:
                click.echo(describe(standing))

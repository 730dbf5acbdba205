"""`evo copy`."""

from __future__ import annotations

import click

from evograft.cli_kit.printing import print_json
from evograft.runs.chosen_run import find_read_run


@click.command()
@click.argument("run")
@click.argument("target")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def copy(run: str, target: str, *, as_json: bool) -> None:
    """Copy RUN to TARGET: a folder, or the URL of a database that several machines share.

    A copy that was cut off is continued by the same command. A run that is worked on is copied as far as it is.
    """
    from evograft.runs.copy import copy_run

    copied = copy_run(find_read_run(run), target)
    if as_json:
        print_json(
            {
                "place": copied.place,
                "rows": copied.rows,
                "added": copied.added,
                "chain": copied.chain,
                "live": copied.writer is not None,
            }
        )
        return
    click.echo(f"copied {copied.added} rows, {copied.rows} in all, chain {copied.chain[:12]}, verified")
    if copied.writer is not None:
        click.echo(
            f"process {copied.writer} works on the run: it is copied as far as it is; repeat this for the rest",
            err=True,
        )
    click.echo(f"run = {copied.place}")

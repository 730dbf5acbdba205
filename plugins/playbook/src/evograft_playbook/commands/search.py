"""`evo playbook search`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_playbook.commands.options import json_option, opened, playbook_option, query_argument, set_option


@click.command()
@query_argument
@click.option("--top-k", default=10, type=click.IntRange(min=1), show_default=True, help="Bullets at most.")
@set_option
@playbook_option
@json_option
def search(query: str, top_k: int, overrides: tuple[str, ...], path: Path | None, *, as_json: bool) -> None:
    """Find the bullets that fit QUERY, best first, by their words and by their meaning."""
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_playbook.commands.output import print_json, print_table, words
    from evograft_playbook.commands.search_results import as_data, as_row, found, titles

    interrupt_on_signals()
    with opened(path) as store:
        results = found(store, query, top_k, overrides)
    if as_json:
        print_json([as_data(each) for each in results])
    elif results:
        print_table(titles(), [as_row(each) for each in results])
    else:
        click.echo(words()("nothing_found"))

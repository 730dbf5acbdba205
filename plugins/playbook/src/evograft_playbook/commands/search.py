"""`evo playbook search`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option, query_argument, set_option


@click.command()
@query_argument
@click.option("--top-k", default=10, type=click.IntRange(min=1), show_default=True, help="Bullets at most.")
@set_option
@playbook_option
@json_option
def search(query: str, top_k: int, overrides: tuple[str, ...], path: Path | None, *, as_json: bool) -> None:
    """Find the bullets that fit QUERY, best first, by their words and by their meaning."""
    from evograft.cli_kit.signals import interrupt_on_signals
    from evograft_playbook.commands.output import load_words, print_json, print_table
    from evograft_playbook.commands.search_results import build_data, build_row, find_bullets, get_titles

    interrupt_on_signals()
    with open_store(path) as store:
        results = find_bullets(store, query, top_k, overrides)
    if as_json:
        print_json([build_data(each) for each in results])
    elif results:
        print_table(get_titles(), [build_row(each) for each in results])
    else:
        click.echo(load_words()("nothing_found"))

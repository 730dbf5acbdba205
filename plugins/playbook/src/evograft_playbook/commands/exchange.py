"""`evo playbook import` and `evo playbook export`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option

if TYPE_CHECKING:
    from evograft_playbook.exchange.import_file import Known


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--known",
    type=click.Choice(["refuse", "update", "renumber"]),
    default="refuse",
    show_default=True,
    help="What is done about an id that is another bullet here.",
)
@playbook_option
@json_option
def import_file(file: Path, known: Known, path: Path | None, *, as_json: bool) -> None:
    """Bring in the bullets of FILE, which is Markdown where it ends in .md, else JSON: all of them or none.

    An id that is, or once was, another bullet here refuses the import; `--known update` takes what FILE says, and
    `--known renumber` gives what comes new numbers.
    """
    from evograft_playbook.commands.output import load_words, print_json
    from evograft_playbook.exchange.import_file import bring_in, read_playbook_file

    playbook = read_playbook_file(file)
    source = f"import {file.name.encode('utf-8', 'backslashreplace').decode()}"
    with open_store(path, must_exist=False) as store, store.changing(source) as draft:
        imported = bring_in(draft, playbook, known=known)
    if as_json:
        print_json(asdict(imported))
        return
    t = load_words()
    click.echo(t("imported_added", n=len(imported.added)))
    if imported.updated:
        click.echo(t("imported_updated", n=len(imported.updated)))
    if imported.unchanged:
        click.echo(t("imported_unchanged", n=len(imported.unchanged)))
    for old, new in imported.renumbered.items():
        click.echo(t("imported_renumbered", old=old, new=new))


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["json", "markdown"]), help="Else as FILE ends, or JSON.")
@playbook_option
def export(file: Path | None, form: str | None, path: Path | None) -> None:
    """Write all bullets, retired ones included, to FILE, or to standard output where it is left out or `-`."""
    from evograft_playbook.commands.output import write_file
    from evograft_playbook.exchange.import_file import is_markdown
    from evograft_playbook.exchange.json_format import to_json
    from evograft_playbook.exchange.markdown import to_markdown

    with open_store(path) as store:
        playbook = store.load()
    as_markdown = form == "markdown" or (form is None and file is not None and is_markdown(file))
    text = to_markdown(playbook) if as_markdown else to_json(playbook)
    if file is None or str(file) == "-":
        click.echo(text, nl=False)
        return
    write_file(file, text)

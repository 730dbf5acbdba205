"""`evo playbook restore`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_playbook.commands.options import playbook_option


@click.command()
@playbook_option
def restore(path: Path | None) -> None:
    """Put the last good state in the place of the playbook, which stays under another name.

    For one that is damaged; nothing else may use it meanwhile.
    """
    from evograft_playbook.commands.output import load_words
    from evograft_playbook.store import PlaybookStore, get_usual_path
    from evograft_playbook.store.backup import restore as put_back

    path = path or get_usual_path()
    aside = put_back(path)
    with PlaybookStore(path, must_exist=True) as store:
        newest = store.history(most=1)
    t = load_words()
    click.echo(t("restored", path=path, at=newest[0].at.isoformat(timespec="seconds") if newest else "-"))
    if aside is not None:
        click.echo(t("set_aside", path=aside))

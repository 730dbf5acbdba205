"""`evo playbook history`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option

if TYPE_CHECKING:
    from evograft_playbook.store import BulletChange


@click.command()
@click.argument("bullet_id", metavar="[ID]", required=False)
@click.option("--last", default=20, type=click.IntRange(min=1), help="So many changes at most.", show_default=True)
@playbook_option
@json_option
def history(bullet_id: str | None, last: int, path: Path | None, *, as_json: bool) -> None:
    """Say what changed in the bullet ID, or in all, newest first: when, who, and what."""
    from evograft_playbook.commands.output import load_words, one_line, print_json, print_table, shown_time

    with open_store(path) as store:
        changes = store.history(bullet_id, most=last)
    if as_json:
        print_json([change.model_dump(mode="json") for change in changes])
        return
    t = load_words()
    if not changes:
        click.echo(t("no_changes"))
        return
    rows = [
        (
            str(change.seq),
            shown_time(change.at),
            one_line(change.source, 40),
            t(f"kind_{change.kind}") + (t("undone_mark") if change.undone else ""),
            change.bullet_id,
            one_line(_difference(change)),
        )
        for change in changes
    ]
    print_table(("", t("at"), t("source"), t("change"), "id", t("content")), rows)


def _difference(change: BulletChange) -> str:
    """Describe what became of the bullet."""
    before, after = change.before, change.after
    if before is None or after is None or before.content != after.content:
        return after.content if after else ""
    counts = {"helpful": after.helpful - before.helpful, "harmful": after.harmful - before.harmful}
    return " ".join(f"{name} {by:+}" for name, by in counts.items() if by)

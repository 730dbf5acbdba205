"""`evo playbook list` and `evo playbook show`."""

from __future__ import annotations

from pathlib import Path

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option


@click.command("list")
@click.option("--section", metavar="NAME", help="Only the bullets of this section.")
@click.option("--all", "with_retired", is_flag=True, help="Also those that are retired.")
@playbook_option
@json_option
def list_bullets(section: str | None, path: Path | None, *, with_retired: bool, as_json: bool) -> None:
    """List the bullets, by id."""
    from evograft_playbook.commands.output import load_words, one_line, print_json, print_table

    with open_store(path) as store:
        playbook = store.load()
    bullets = playbook.bullets if with_retired else playbook.active
    wanted = [bullet for bullet in bullets if section in (None, bullet.section)]
    if as_json:
        print_json([bullet.model_dump(mode="json") for bullet in wanted])
        return
    t = load_words()
    if not wanted:
        click.echo(t("no_bullets"))
        return
    titles = ("id", t("helpful"), t("harmful"), t("content"))
    print_table(
        titles,
        [
            (
                bullet.id,
                str(bullet.helpful),
                str(bullet.harmful),
                f"{t('retired_mark') if bullet.retired else ''}{one_line(bullet.content)}",
            )
            for bullet in wanted
        ],
    )


@click.command()
@click.argument("bullet_id", metavar="ID")
@playbook_option
@json_option
def show(bullet_id: str, path: Path | None, *, as_json: bool) -> None:
    """Show the bullet ID with all that is known of it."""
    from evograft.text.escapes import escape_controls, sanitize
    from evograft_playbook.commands.output import load_words, print_json, shown_time

    with open_store(path) as store:
        bullet = store.get(bullet_id)
    if as_json:
        print_json(bullet.model_dump(mode="json"))
        return
    t = load_words()
    click.echo(f"{bullet.id}  {t('retired') if bullet.retired else ''}".rstrip())
    click.echo(t("counts", helpful=bullet.helpful, harmful=bullet.harmful))
    click.echo(t("created", at=shown_time(bullet.created), source=sanitize(bullet.source, 200) or "?"))
    click.echo(t("updated", at=shown_time(bullet.updated)))
    click.echo()
    click.echo(escape_controls(bullet.content))

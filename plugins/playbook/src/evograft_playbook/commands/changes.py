"""`evo playbook add`, `edit`, `retire` and `undo`: changes by the user."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evograft_playbook.commands.options import json_option, open_store, playbook_option

if TYPE_CHECKING:
    from evograft_playbook.types import Bullet

USER = "user"
"""The source of what is changed by hand."""


@click.command()
@click.argument("section")
@click.argument("text")
@playbook_option
@json_option
def add(section: str, text: str, path: Path | None, *, as_json: bool) -> None:
    """Add a bullet with TEXT to SECTION, such as shr; TEXT is read from standard input where it is `-`."""
    with open_store(path, must_exist=False) as store, store.changing(USER) as draft:
        bullet = draft.add(section, _given(text))
    _say("added", bullet, as_json=as_json)


@click.command()
@click.argument("bullet_id", metavar="ID")
@click.argument("text")
@playbook_option
@json_option
def edit(bullet_id: str, text: str, path: Path | None, *, as_json: bool) -> None:
    """Give the bullet ID another TEXT, read from standard input where it is `-`; its counts stay."""
    with open_store(path) as store, store.changing(USER) as draft:
        bullet = draft.edit(bullet_id, _given(text))
    _say("edited", bullet, as_json=as_json)


@click.command()
@click.argument("bullet_id", metavar="ID")
@playbook_option
@json_option
def retire(bullet_id: str, path: Path | None, *, as_json: bool) -> None:
    """Take the bullet ID out of use: it stays, and is no longer found."""
    with open_store(path) as store, store.changing(USER) as draft:
        bullet = draft.retire(bullet_id)
    _say("retired_now", bullet, as_json=as_json)


@click.command()
@click.argument("steps", default=1, type=click.IntRange(min=1))
@playbook_option
@json_option
def undo(steps: int, path: Path | None, *, as_json: bool) -> None:
    """Take the last STEPS changes back, whoever made them; an import counts as one. Numbers are not used again."""
    from evograft_playbook.commands.output import load_words, print_json

    with open_store(path) as store, store.changing(USER) as draft:
        changes = draft.undo(steps)
    if as_json:
        print_json([change.model_dump(mode="json") for change in changes])
        return
    t = load_words()
    for change in changes:
        click.echo(t("undone_change", kind=t(f"kind_{change.kind}"), id=change.bullet_id))


def _given(text: str) -> str:
    if text != "-":
        return text
    from evograft.api import UserError

    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").removesuffix("\n")
    except UnicodeDecodeError as err:
        raise UserError(f"standard input is not UTF-8 text: byte {err.start}") from err


def _say(what: str, bullet: Bullet, *, as_json: bool) -> None:
    from evograft_playbook.commands.output import load_words, print_json

    if as_json:
        print_json(bullet.model_dump(mode="json"))
    else:
        click.echo(load_words()(what, id=bullet.id))

"""Options that commands of `evo playbook` have in common: which playbook, and who reads what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evograft_playbook.store import PlaybookStore


def _text(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Replace bytes that are not text, which a terminal may pass."""
    from evograft.api import UserError
    from evograft_hookspecs.values import check_text

    try:
        return check_text(value)
    except ValueError as err:
        raise UserError(f"QUERY: {err}") from err


query_argument = click.argument("query", callback=_text)
playbook_option = click.option(
    "--playbook", "path", type=click.Path(path_type=Path), metavar="FILE", help="The playbook; else your usual one."
)
set_option = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting; repeatable."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")


def open_store(path: Path | None, *, must_exist: bool = True) -> PlaybookStore:
    """Open the playbook that a command names, to be used in a `with`.

    Args:
        path: `None`: the user's usual one.
        must_exist: one that is not there is an error, and not made.
    """
    from evograft_playbook.store import PlaybookStore, get_usual_path

    return PlaybookStore(path or get_usual_path(), must_exist=must_exist)

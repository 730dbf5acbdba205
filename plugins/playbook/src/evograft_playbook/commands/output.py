"""Output for people, in which nothing can steer a terminal, and files that commands write for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from evograft.api import UserError, write_atomically
from evograft.text.escapes import escaped, sanitize
from evograft.text.i18n import Catalog, usual_language

ONE_LINE = 100
"""Characters of a content that a table shows where there is no terminal to fit it to."""


def load_words() -> Catalog:
    """Load the words of the user's language."""
    return Catalog(usual_language(), "evograft_playbook")


def print_json(value: Any) -> None:
    click.echo(escaped(json.dumps(value, ensure_ascii=False)))


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on a terminal, aligned text elsewhere."""
    if sys.stdout.isatty():
        _print_rich(titles, rows)
        return
    from rich.cells import cell_len, set_cell_size

    lines = [titles, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(map(set_cell_size, line, widths)).rstrip())


def say(text: str) -> None:
    """Print what is not a result, for people, on standard error."""
    click.echo(sanitize(text), err=True)


def one_line(text: str, width: int = ONE_LINE) -> str:
    """Return the beginning of a text, in one line."""
    return sanitize(" ".join(text.split()), width)


def shown_time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def _print_rich(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for title in titles:
        table.add_column(title)
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        UserError: it cannot be written.
    """
    try:
        write_atomically(path, text.encode())
    except OSError as err:
        raise UserError(f"cannot write {str(path)!r}: {err.strerror}") from err

"""What commands print on standard output, safe for the terminal that may show it."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from evograft.text.escapes import escape_controls, escaped


def print_json(data: Any) -> None:
    """Print plain data as one line of JSON."""
    click.echo(escaped(json.dumps(data)))


def print_text(text: str, *, nl: bool = True) -> None:
    """Print a text of strangers: on a terminal without what steers it, elsewhere as it is."""
    click.echo(escape_controls(text) if sys.stdout.isatty() else text, nl=nl)

"""Tables of commands, in columns that fit Japanese as well, whose characters are two wide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from evograft_ahc.text.messages import ProgressReporter


def print_columns(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Collection[int] = (0,)) -> None:
    """Print a table.

    Args:
        heads: of the columns.
        rows: as many texts each, which may be those of strangers.
        left: the columns of words; those of numbers stand to the right.
    """
    from rich.cells import cell_len

    from evograft.text.escapes import escape_controls

    lines = [heads, *([escape_controls(text) for text in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = []
        for place, (text, width) in enumerate(zip(line, widths, strict=True)):
            space = " " * (width - cell_len(text))
            cells.append(text + space if place in left else space + text)
        click.echo("  ".join(cells).rstrip())


def print_rest(count: int, say: ProgressReporter) -> None:
    """Print how many rows have been left out, if any."""
    if count > 0:
        say(f"and {count} more: --most", ja=f"ほか {count} 件: --most で表示")

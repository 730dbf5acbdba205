"""Where long work shows how it goes: standard error. Public: plugins may import it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, Self

import click

from evograft.text.escapes import escape_controls
from evograft.text.masking import mask

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

Style = Literal["auto", "live", "plain", "quiet"]


class Display:
    """Lines that stay, and on a terminal below them a part that moves. Used as a context, after which nothing moves.

    Args:
        style: `live`: with the part that moves; `plain`: lines alone; `quiet`: nothing; `auto`: live on a terminal,
            else plain.
    """

    def __init__(self, style: Style) -> None:
        self._style = ("live" if sys.stderr.isatty() else "plain") if style == "auto" else style
        self._live: Live | None = None

    @property
    def is_live(self) -> bool:
        return self._style == "live"

    @property
    def is_quiet(self) -> bool:
        return self._style == "quiet"

    @property
    def width(self) -> int:
        """Return the columns of the part that moves; 0 where there is none."""
        return self._live.console.width if self._live else 0

    def __enter__(self) -> Self:
        if self.is_live:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), refresh_per_second=8, transient=True)
            self._live.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """Show a text that stays: without keys, and without what could steer a terminal."""
        if self.is_quiet:
            return
        shown = escape_controls(mask(text))
        if self._live is None:
            click.echo(shown, err=True)
        else:
            # A line with a path or a command is left to the terminal to wrap, so that it can be copied in one piece.
            whole = "/" in shown or "evo " in shown
            self._live.console.print(shown, highlight=False, markup=False, emoji=False, soft_wrap=whole)

    def move(self, part: RenderableType) -> None:
        """Put something in the place of the part that moves, where there is one."""
        if self._live is not None:
            self._live.update(part)

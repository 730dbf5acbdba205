"""Reports to whoever sits before the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import click

from evograft_env_setup.phases import PHASE_DISPLAY_NAMES, Standing

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class PlainLines:
    """A line for each piece of news on standard error, for pipes and logs."""

    def report(self, standing: Standing, news: str) -> None:  # noqa: ARG002 - the protocol's
        click.echo(news, err=True)


class LiveTerminal:
    """What happens at the moment in a line that moves, and phases and warnings above it. Used as a context.

    Args:
        console: of standard error.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status = console.status("")
        self._told = Standing()

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._status.stop()

    def report(self, standing: Standing, news: str) -> None:
        """Lines stay where the standing has changed; other news is over when the next comes."""
        from rich.text import Text

        if standing != self._told:
            self._console.print(Text(news))
        active = PHASE_DISPLAY_NAMES[standing.active] if standing.active else ""
        self._status.update(Text(f"{active}: {news}" if active and news != active else news))
        self._told = standing

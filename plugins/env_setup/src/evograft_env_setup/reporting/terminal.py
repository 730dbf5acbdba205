"""Reports to the person at the terminal."""

from __future__ import annotations

from evograft.cli_kit.console import Display
from evograft_env_setup.reporting.phases import PHASE_DISPLAY_NAMES, PhaseStatus

WIDTH = 100
"""Characters of a line that moves."""


class Terminal:
    """A terminal.

    If nothing moves on it, each piece of news is a line; else phases and warnings stay, and the rest moves.

    Args:
        display: that is shown already.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._told = PhaseStatus()
        self._moving = ""

    def report(self, status: PhaseStatus, news: str) -> None:
        if status != self._told or not self._display.is_live:
            self._display.say(news)
        active = PHASE_DISPLAY_NAMES[status.active] if status.active else ""
        self._moving = f"{active}: {news}" if active and news != active else news
        self._told = status
        self._move(self._moving)

    def output(self, piece: str) -> None:
        """Show the last line of what a command prints, until something else happens."""
        line = next((line for line in reversed(piece.splitlines()) if line.strip()), "")
        if line:
            self._move(f"{self._moving}\n  {line.strip()}")

    def _move(self, text: str) -> None:
        if not self._display.is_live:
            return
        from rich.spinner import Spinner
        from rich.text import Text

        from evograft.text.escapes import escape_controls, sanitize

        lines = (escape_controls(sanitize(line, WIDTH)) for line in text.split("\n"))
        self._display.move(Spinner("dots", Text("\n".join(lines))))

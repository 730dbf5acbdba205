"""What a person sees while a question is worked on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import Any, Literal

import click

from evograft.agent.conversation import Message, ToolUse
from evograft.agent.loop import ENDING
from evograft.pages.clip import told
from evograft.pages.texts import Texts
from evograft_code_explainer.notes import described

Style = Literal["auto", "live", "plain", "quiet"]


class Progress:
    """Goes to standard error.

    Args:
        style: `auto`: by what standard error is.
        words: of the plugin.
        steps: messages that the model may take.
    """

    def __init__(self, style: Style, words: Texts, *, steps: int) -> None:
        self._style = ("live" if sys.stderr.isatty() else "plain") if style == "auto" else style
        self._words = words
        self._steps = steps
        self._step = 0
        self._tokens = 0
        self._display: Any = None

    def __enter__(self) -> None:
        if self._style == "live":
            from rich.console import Console
            from rich.live import Live

            self._display = Live(console=Console(stderr=True), refresh_per_second=8, transient=True)
            self._display.__enter__()

    def __exit__(self, *exc: object) -> None:
        if self._display is not None:
            self._display.__exit__(*exc)

    def say(self, line: str) -> None:
        """Shows a line of its own."""
        shown = told(line).replace("\n", " ")
        if self._display is not None:
            self._display.console.print(shown, highlight=False, markup=False, emoji=False)
        elif self._style == "plain":
            click.echo(shown, err=True)

    def asking(self, step: int) -> None:
        """The model is asked for its message of this number."""
        self._step = step
        if self._display is not None:
            from rich.spinner import Spinner
            from rich.text import Text

            line = self._words("asking", step=step, steps=self._steps)
            self._display.update(Spinner("dots", Text(f"{line}  {self._spent}")))

    def heard(self, message: Message, tokens: int) -> None:
        """The model has said something, and its calls were carried out."""
        self._tokens = tokens
        head = self._words("step", step=self._step, steps=self._steps)
        for use in message.tool_calls:
            self.say(f"{head}  {self._told(use)}  {self._spent}")

    @property
    def _spent(self) -> str:
        return self._words("tokens", n=f"{self._tokens:,}")

    def _told(self, use: ToolUse) -> str:
        if not use.tool:
            return self._words("no_call")
        line = use.tool if use.tool == ENDING else described(use)
        return f"{line}  {self._words('failed_call', text=use.result)}" if use.error else line

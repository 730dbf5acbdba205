"""Progress of a question, for people: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from evograft.cli_kit.console import Display
from evograft.text.escapes import sanitize
from evograft.text.i18n import Catalog
from evograft_agent.conversations.conversation import ConversationMessage, ToolUse
from evograft_agent.loop import FINISH_TOOL
from evograft_code_explainer.questions.notes import describe_call


class QuestionProgress:
    """The progress of a question, shown on a display.

    Args:
        display: where it is shown.
        words: of the plugin.
        steps: messages that the model may take.
    """

    def __init__(self, display: Display, words: Catalog, *, steps: int) -> None:
        self._display = display
        self._words = words
        self._steps = steps
        self._step = 0
        self._tokens: int | None = None
        """Of the whole conversation; not known before the first answer."""

    def say(self, line: str) -> None:
        """Show a line of its own."""
        self._display.say(sanitize(line).replace("\n", " "))

    def asking(self, step: int) -> None:
        """Show that the model is asked for its message of this number."""
        self._step = step
        if self._display.is_live:
            from rich.spinner import Spinner
            from rich.text import Text

            line = self._words("asking", step=step, steps=self._steps)
            self._display.move(Spinner("dots", Text(f"{line}  {self._spent}")))

    def heard(self, message: ConversationMessage, tokens: int) -> None:
        """Show that the model has said something, and that its calls were carried out."""
        self._tokens = tokens
        head = self._words("step", step=self._step, steps=self._steps)
        for use in message.tool_calls:
            self.say(f"{head}  {self._describe(use)}  {self._spent}")

    @property
    def _spent(self) -> str:
        return "" if self._tokens is None else self._words("tokens", n=f"{self._tokens:,}")

    def _describe(self, use: ToolUse) -> str:
        if not use.tool:
            return self._words("no_call")
        line = use.tool if use.tool == FINISH_TOOL else describe_call(use)
        return f"{line}  {self._words('failed_call', text=use.result)}" if use.error else line

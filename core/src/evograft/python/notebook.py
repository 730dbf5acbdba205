"""Progress in a notebook: one output that is drawn again and again."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any, Self

from evograft.cli_kit.console import Display, Style
from evograft.text.escapes import escape_controls
from evograft.text.masking import mask

if TYPE_CHECKING:
    from rich.console import RenderableType


def choose_display(style: Style) -> Display:
    """Return where progress is shown: in a notebook its own output, else standard error."""
    return NotebookDisplay() if style == "auto" and is_notebook() else Display(style)


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return shell is not None and hasattr(shell, "kernel")


class NotebookDisplay(Display):
    """Lines that stay and one that moves, in the output of a cell."""

    def __init__(self) -> None:
        super().__init__("live")
        self._lines: list[str] = []
        self._moving = ""
        self._handle: Any = None

    def __enter__(self) -> Self:
        from IPython.display import display

        self._handle = display(self, display_id=True)  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *exc: object) -> None:
        self._moving = ""
        self._draw()

    def say(self, text: str) -> None:
        self._lines.append(escape_controls(mask(text)))
        self._draw()

    def move(self, part: RenderableType) -> None:
        # There is no width, so that what moves is a line of text.
        self._moving = str(part)
        self._draw()

    def _draw(self) -> None:
        if self._handle is not None:
            self._handle.update(self)

    def __repr__(self) -> str:
        return "\n".join([*self._lines, *filter(None, [self._moving])])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

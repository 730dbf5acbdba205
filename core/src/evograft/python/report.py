"""The report of a run, as notebooks show it."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evograft.errors import UserError
from evograft.plugin.entry_points import installed
from evograft.python.prepared_run import GROUP

HEIGHT = 720
"""Pixels of the frame in a notebook."""


@dataclass(frozen=True)
class RunReport:
    """A page about a run, which needs no network."""

    page: str
    """HTML."""

    def save(self, path: str | Path) -> None:
        """Write the page."""
        Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # In a frame of its own, so that its styles and those of the notebook do not meet.
        return f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="{HEIGHT}" frameborder="0"></iframe>'

    def __repr__(self) -> str:
        return f"<report of {len(self.page)} characters: save(path) writes it>"


def render_report(folder: Path) -> RunReport:
    """Return the report of a run.

    Raises:
        UserError: nothing that renders reports is installed.
    """
    found = installed(GROUP).get("report")
    if not found:
        raise UserError("run.report() needs a package that is missing: pip install evograft-report")
    render: Callable[[Path], str] = found[0].load()
    return RunReport(render(folder))

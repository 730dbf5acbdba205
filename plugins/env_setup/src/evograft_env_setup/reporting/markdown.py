"""The status as Markdown, and a file that shows it."""

from __future__ import annotations

from pathlib import Path

from evograft.api import write_atomically
from evograft_env_setup.reporting.phases import PHASE_DISPLAY_NAMES, PhaseStatus
from evograft_env_setup.reporting.reporter import ReportingFailed
from evograft_env_setup.text.quoting import fence, shorten

LONGEST_WARNINGS = 30_000
"""Characters of all warnings that are shown: GitHub refuses a comment of more than 65,536."""
MARKS = {"pending": "[ ] {}", "active": "[ ] **{}** …", "completed": "[x] {}"}


def format_status(status: PhaseStatus) -> str:
    """Return the phases as a list of tasks, then warnings, then what has failed."""
    phases = [f"- {MARKS[state].format(PHASE_DISPLAY_NAMES[phase])}" for phase, state in status.phases.items()]
    parts = ["\n".join(phases)]
    if status.warnings:
        parts.append("Warnings:\n" + fence(shorten("\n".join(status.warnings), LONGEST_WARNINGS)))
    if status.comment:
        parts.append(status.comment)
    return "\n\n".join(parts).rstrip() + "\n"


class MarkdownFile:
    """A file that is kept up to date.

    Args:
        path: of the file; its folder exists.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = ""

    def report(self, status: PhaseStatus, news: str) -> None:  # noqa: ARG002 - the protocol's
        text = format_status(status)
        if text == self._written:
            return
        try:
            # Replaces a link of that name: it may be the repository's, and lead to any file of the user.
            write_atomically(self._path, text.encode())
        except OSError as err:
            raise ReportingFailed(f"report: can't write {str(self._path)!r}: {err.strerror}") from err
        self._written = text

"""`ahc_agent.log`: what the application did in a workspace, whatever the session."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from evograft.text.masking import mask
from evograft_ahc.files.lock import hold_lock
from evograft_ahc.records.candidate import format_timestamp
from evograft_ahc.records.entry import Level, SessionLogEntry
from evograft_ahc.settings.records import SessionRecordOptions

NAME = "ahc_agent.log"
KEPT = 5
"""Older files of it."""
MEGABYTE = 1 << 20
HOUR = 3600


class AgentLog:
    """Appends lines, also of several processes at a time; older files have the time of their end in their name.

    Args:
        folder: of the workspace.
        options: from which level on, and when the next file begins.
    """

    def __init__(self, folder: Path, options: SessionRecordOptions) -> None:
        self._path = folder / NAME
        self._options = options

    def say(self, level: Level, event: str, trace: str = "", *, at: float | None = None, **fields: Any) -> None:
        """Log what happened, now unless another time is given; a fatal error with its stack trace."""
        entry = SessionLogEntry(
            time.time() if at is None else at, level, event, fields, {"trace": trace} if trace else {}
        )
        logging = self._options.logging
        if not entry.is_at_least(logging.level):
            return
        text = mask(entry.as_json() if logging.json_lines else entry.as_line())
        with hold_lock(self._path.with_name(f".{NAME}.lock")):
            if self._is_full(entry.at):
                self._put_aside(entry.at)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)

    def _is_full(self, now: float) -> bool:
        if not self._path.exists():
            return False
        begun = _begun(self._path)
        return self._path.stat().st_size > self._options.max_log_size_mb * MEGABYTE or (
            begun is not None and now - begun > self._options.logging.max_age_hours * HOUR
        )

    def _put_aside(self, now: float) -> None:
        self._path.replace(self._path.with_name(f"{NAME}.{format_timestamp(now)}"))
        for old in sorted(self._path.parent.glob(f"{NAME}.*"))[:-KEPT]:
            old.unlink()


def _begun(path: Path) -> float | None:
    """Return the time of a file's first line; `None`: it has none."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        first = lines.readline().removeprefix('{"time": "')
    try:
        return datetime.fromisoformat(first[:20]).timestamp()
    except ValueError:
        return None

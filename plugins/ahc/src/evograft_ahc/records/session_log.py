"""`logs/session.log`: everything that a session's log tells, for people or for programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evograft.text.masking import mask
from evograft_ahc.records.entry import SessionLogEntry
from evograft_ahc.records.rotation import ExportedLog
from evograft_ahc.settings.records import SessionRecordOptions

PATH = "logs/session.log"
MEGABYTE = 1 << 20
HOUR = 3600


class SessionLog:
    """Of one session.

    Args:
        folder: of the session.
        options: from which level on, in which form, and when the next file begins.
    """

    def __init__(self, folder: Path, options: SessionRecordOptions) -> None:
        self._logging = options.logging
        self._waiting: list[SessionLogEntry] = []
        max_bytes = round(options.max_log_size_mb * MEGABYTE)
        max_seconds = options.logging.max_age_hours * HOUR
        self._file = ExportedLog(folder / PATH, max_bytes=max_bytes, max_seconds=max_seconds)

    def put(self, entry: SessionLogEntry) -> None:
        """Write the next entry. What comes before any time is known waits for the first one that has one."""
        if not entry.at:
            self._waiting.append(entry)
            return
        for each in (*(replace(early, at=entry.at) for early in self._waiting), entry):
            self._write(each)
        self._waiting.clear()

    def flush(self) -> None:
        """Let readers see what was put."""
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _write(self, entry: SessionLogEntry) -> None:
        if entry.is_at_least(self._logging.level):
            text = entry.as_json() if self._logging.json_lines else entry.as_line()
            self._file.put(mask(text), at=entry.at)

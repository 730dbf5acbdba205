"""A line of a session's log, for people or for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from evograft.text.escapes import escape_controls

Level = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
LEVELS: tuple[Level, ...] = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class SessionLogEntry:
    """Something that happened."""

    at: float
    """Unix time; 0: nobody knows yet."""
    level: Level
    event: str
    """What kind of thing, in a word or two."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Longer ones by name, such as a prompt."""

    def is_at_least(self, level: Level) -> bool:
        return LEVELS.index(self.level) >= LEVELS.index(level)

    def as_line(self) -> str:
        """Format for people: a line, and texts below it, indented; what a terminal would obey is shown."""
        known = " ".join(f"{name}={_word(value)}" for name, value in self.fields.items() if value is not None)
        lines = [f"{format_utc(self.at)} {self.level:8} {self.event} {known}".rstrip()]
        for name, text in self.texts.items():
            lines += [f"  {name}:", textwrap.indent(escape_controls(text).rstrip("\n"), "    ", lambda _: True)]
        return "\n".join(lines) + "\n"

    def as_json(self) -> str:
        """Format for programs: one JSON object."""
        data = {"time": format_utc(self.at), "level": self.level, "event": self.event, **self.fields, **self.texts}
        return json.dumps(data, ensure_ascii=False) + "\n"


def format_utc(at: float) -> str:
    """Return a Unix time as records write it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _word(value: Any) -> str:
    """Return a value on one line, in quotes if it has spaces."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape_controls(json.dumps(text, ensure_ascii=False) if not text or text.split() != [text] else text)

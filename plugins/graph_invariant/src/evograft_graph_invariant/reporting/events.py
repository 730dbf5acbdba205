"""Sums of `events.jsonl`, a line for each model call or trial without one. The file may be of any size."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

LONGEST_LINE = 4_000_000
"""Bytes; a longer line counts as broken."""
MOST_BYTES = 400_000_000
MOST_KINDS = 200
"""Different statuses, and different errors, that are counted."""
OTHER = "…"
"""The name under which all others are counted."""


@dataclass
class EventTotals:
    """The sums of the lines."""

    lines: int = 0
    calls: int = 0
    """Lines with a prompt: a model was asked."""
    broken: int = 0
    """Lines that are not JSON objects."""
    is_cut: bool = False
    """Whether the file is so large that its end was not read."""
    by_island: dict[int, Counter[str]] = field(default_factory=dict)
    """Statuses, by the number of the island; −1: none is named."""
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def statuses(self) -> tuple[str, ...]:
        """The most frequent first."""
        return tuple(name for name, _ in sum(self.by_island.values(), Counter()).most_common())

    def add(self, line: bytes) -> None:
        self.lines += 1
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        if not isinstance(event, dict):
            self.broken += 1
            return
        self.calls += bool(event.get("prompt"))
        number = event.get("island")
        island = number if isinstance(number, int) and 0 <= number < MOST_KINDS else -1
        _count(self.by_island.setdefault(island, Counter()), event.get("status"))
        if event.get("error"):
            _count(self.errors, event["error"])


def read_events(path: Path) -> EventTotals:
    """Read the file once, line by line.

    Raises:
        OSError: it cannot be read.
    """
    totals = EventTotals()
    with path.open("rb") as file:
        for line in _lines(file):
            totals.add(line)
        totals.is_cut = bool(file.read(1))
    return totals


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines, each no longer than the bound; the rest of a longer one is passed over."""
    while file.tell() < MOST_BYTES and (line := file.readline(LONGEST_LINE)):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE)
        if line.strip():
            yield line


def _count(counter: Counter[str], name: object) -> None:
    text = " ".join(str(name).split())[:200] if isinstance(name, str) else ""
    counter[text if text in counter or len(counter) < MOST_KINDS else OTHER] += 1

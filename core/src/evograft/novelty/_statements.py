"""Statements at the top of a Python file: their tokens hang on little else, so those of one program serve the next.

A child has most statements of its parent, and reading tokens off a tree takes three times as long as parsing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple

MOST_KEPT = 512 * 1024
"""Bytes of text whose tokens are kept; those take some ten times as much."""

NOTHING: frozenset[str] = frozenset()


class Key(NamedTuple):
    """All that the tokens of a statement hang on."""

    text: bytes
    column: int
    """Where it begins: lines that belong to it are indented deeper."""
    reads_docstrings: bool
    pinned: frozenset[str] = NOTHING
    """Those of its locals that keep their names, since the file mentions them in text of unknown meaning."""
    keywords: frozenset[str] = NOTHING
    """Those of its parameters that keep their names, since the file passes arguments by them."""


@dataclass(frozen=True)
class Statement:
    """What a statement is in its file, and what it asks of the others."""

    tokens: tuple[str, ...]
    locals: frozenset[str]
    parameters: frozenset[str]
    pinned: frozenset[str]
    """Names that its text of unknown meaning mentions."""
    keywords: frozenset[str]
    """Names by which it passes arguments."""


class RecentStatements:
    """Those that were met last, up to a number of bytes of text. For any thread."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.size = 0
        """Bytes of text."""
        self._most = most
        self._kept: OrderedDict[Key, Statement] = OrderedDict()
        self._turn = threading.Lock()

    def find(self, key: Key) -> Statement | None:
        with self._turn:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def add(self, key: Key, statement: Statement) -> None:
        with self._turn:
            if key in self._kept:
                return  # another thread was faster
            self._kept[key] = statement
            self.size += len(key.text)
            while self.size > self._most:
                oldest, _ = self._kept.popitem(last=False)
                self.size -= len(oldest.text)

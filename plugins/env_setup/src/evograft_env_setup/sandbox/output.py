"""The output of a command, kept within bounds while it prints."""

from __future__ import annotations

MOST = 4 << 20
"""Bytes that are kept of each end of a stream."""
CUT = b"\n[... %d bytes left out ...]\n"


class Output:
    """One stream of a command: its two ends, however long it is.

    Args:
        most: bytes of each end.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def add(self, piece: bytes) -> None:
        room = self._most - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * self._most:  # not at each piece, which would move all of it each time
            self._shorten()

    def text(self) -> str:
        """Return the decoded text; what is not text is replaced."""
        self._shorten()
        cut = CUT % self._left_out if self._left_out else b""
        return bytes(self._head + cut + self._tail).decode(errors="replace")

    def _shorten(self) -> None:
        excess = max(0, len(self._tail) - self._most)
        del self._tail[:excess]
        self._left_out += excess

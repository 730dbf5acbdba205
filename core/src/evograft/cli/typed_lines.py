"""Lines that a person types, waited for without keeping the program from ending."""

from __future__ import annotations

import io
import os
import select
from typing import TextIO


class TypedLines:
    """Reads a stream line by line, until another thread ends that.

    A thread that waits in `readline` holds a lock of the stream. An interpreter that ends meanwhile finds it held, and
    aborts; so this one waits for the descriptor, and for word that nobody needs another line.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._unread = b""
        self._ended, self._end = os.pipe()

    def read(self) -> str:
        """Return the next line; empty at the end of the stream, and once `end` was called.

        Bytes that are no text become marks that a log can hold.
        """
        descriptor = self._descriptor()
        line = self._stream.buffer.readline() if descriptor is None else self._next_line(descriptor)
        return line.decode(self._stream.encoding or "utf-8", "replace")

    def end(self) -> None:
        """Let whoever waits for a line go on without one. Callable from any thread."""
        os.write(self._end, b"\n")

    def _descriptor(self) -> int | None:
        """Return what can be waited for; a stream in memory has none, and lets nobody wait."""
        try:
            return self._stream.fileno()
        except (io.UnsupportedOperation, AttributeError):
            return None

    def _next_line(self, descriptor: int) -> bytes:
        while b"\n" not in self._unread:
            ready, _, _ = select.select([descriptor, self._ended], [], [])
            if self._ended in ready:
                return b""
            piece = os.read(descriptor, io.DEFAULT_BUFFER_SIZE)
            if not piece:
                break
            self._unread += piece
        line, newline, self._unread = self._unread.partition(b"\n")
        return line + newline

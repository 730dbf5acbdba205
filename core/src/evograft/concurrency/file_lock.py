"""Who holds the lock on a file. Asking, unlike trying to lock, never turns another one away."""

from __future__ import annotations

import fcntl
import struct
import sys
from dataclasses import dataclass
from typing import IO, Any

SIZE = 64
"""Bytes to ask with: more than any system's `struct flock` has."""


@dataclass(frozen=True)
class FlockLayout:
    """The `struct flock` of a system."""

    format: str
    fields: tuple[str, ...]

    def question(self) -> bytes:
        """Return what asks for whoever keeps others from writing to any part of a file."""
        values = {"kind": fcntl.F_WRLCK}
        return struct.pack(self.format, *(values.get(name, 0) for name in self.fields)).ljust(SIZE, b"\0")

    def holder(self, answer: bytes) -> int | None:
        """Return the process that an answer names; `None`: nobody holds the lock."""
        values = dict(zip(self.fields, struct.unpack_from(self.format, answer), strict=True))
        return None if values["kind"] == fcntl.F_UNLCK else int(values["process"])


LINUX = FlockLayout("hhqqi", ("kind", "whence", "start", "length", "process"))
BSD = FlockLayout("qqihh", ("start", "length", "process", "kind", "whence"))
"""Of macOS and of the BSDs, some of which add a number."""


def layout_of(platform: str) -> FlockLayout:
    """Return the layout of a system by its `sys.platform`."""
    return LINUX if platform == "linux" else BSD


def find_lock_holder(file: IO[Any]) -> int | None:
    """Return the process that holds the lock on an open file, if there is one; OSError where nobody can tell."""
    layout = layout_of(sys.platform)
    return layout.holder(fcntl.fcntl(file, fcntl.F_GETLK, layout.question()))

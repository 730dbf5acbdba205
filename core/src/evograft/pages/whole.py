"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Who reads the file meanwhile, or after a power cut, sees the old one or the new one.

    A device or a pipe that is there takes the content as it comes.

    Raises:
        OSError: the file, or a folder for it, cannot be written; nothing is left behind.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(content)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # What is there is of a process that was killed, or a stranger's link to a file of the user.
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise

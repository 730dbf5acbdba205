"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, replacing: bool = True) -> None:
    """Write a file so that who reads it meanwhile, or after a power cut, sees the old one or the new one.

    A device or a pipe that is there takes the content as it comes.

    Args:
        path: of the file.
        content: all of it.
        replacing: a file that is there; without it, one that appears at the last moment stays as well.

    Raises:
        FileExistsError: there is one, and it is not to be replaced.
        OSError: the file, or a folder for it, cannot be written; nothing is left behind.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(content)
        return
    temporary = temporary_path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # What is there is of a process that was killed, or a stranger's link to a file of the user.
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not replacing:
            path.touch(exist_ok=False)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def temporary_path(path: Path) -> Path:
    """Return where this process writes a file before it takes its place; a kill may leave it there."""
    return path.with_name(f".{path.name}.{os.getpid()}.new")


def is_temporary_of(name: str, names: Iterable[str]) -> bool:
    """Return whether a file of this name is what a process left that was killed while it wrote one of others.

    Args:
        name: of the file.
        names: of the files that are written atomically next to it.
    """
    found = _TEMPORARY.fullmatch(name)
    return found is not None and found["name"] in names


_TEMPORARY = re.compile(r"\.(?P<name>.+)\.\d+\.new")

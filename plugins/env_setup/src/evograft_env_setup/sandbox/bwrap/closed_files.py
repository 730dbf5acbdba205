"""Files that a set-up has closed to other users, such as candidates in a sandbox of a run that is started as root."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

CLOSED = r"( -type d ! -perm -005 -o -type f ( ! -perm -004 -o -perm /111 ! -perm -001 ) )"


def open_to_all(folder: Path, modes: Path) -> None:
    """Let everybody read what is in a folder, and run its programs.

    Args:
        folder: in which nobody works at the moment.
        modes: a file in which the rights are noted that change.

    Raises:
        OSError: the rights of something can't be changed.
    """
    with modes.open("wb") as file:
        _run(["find", ".", *CLOSED.split(), "-printf", r"%m %P\0"], folder, file.fileno())
    _run(["chmod", "-R", "a+rX", "."], folder)


def close_again(folder: Path, modes: Path) -> None:
    """Give files of a copy the rights that `open_to_all` has noted; programs such as ssh insist on them.

    Raises:
        OSError: something is not there.
    """
    for entry in modes.read_bytes().split(b"\0")[:-1]:
        mode, _, path = entry.partition(b" ")
        os.chmod(os.path.join(os.fsencode(folder), path), int(mode, 8))  # noqa: PTH101, PTH118 - names may be no text


def _run(words: list[str], folder: Path, stdout: int = subprocess.DEVNULL) -> None:
    done = subprocess.run(  # noqa: S603 - words of ours
        words, cwd=folder, check=False, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    if done.returncode:
        raise OSError(done.stderr.strip().partition("\n")[0])

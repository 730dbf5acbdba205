"""Files of the user's: what cannot be read or written is a mistake that names the file."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from evograft.api import write_atomically
from evograft_ahc.text.messages import ContestUserError


def read_text(file: Path | Traversable) -> str:
    """Return the content of a file.

    Raises:
        ContestUserError: it is not there, or not UTF-8.
    """
    content = read_bytes(file)
    try:
        return content.decode()
    except UnicodeDecodeError as err:
        raise ContestUserError(
            f"cannot read {str(file)!r}: not UTF-8 at byte {err.start}",
            ja=f"{str(file)!r} を読めません: {err.start} バイト目が UTF-8 ではありません",
        ) from err


def read_bytes(file: Path | Traversable) -> bytes:
    """Return the content of a file that need not be text.

    Raises:
        ContestUserError: it is not there, or closed to us.
    """
    try:
        return file.read_bytes()
    except OSError as err:
        raise ContestUserError(
            f"cannot read {str(file)!r}: {err.strerror}", ja=f"{str(file)!r} を読めません: {err.strerror}"
        ) from err


def write_file(file: Path, content: bytes) -> None:
    """Write a file as a whole or not at all.

    Raises:
        ContestUserError: it cannot be written.
    """
    try:
        write_atomically(file, content)
    except OSError as err:
        raise ContestUserError(
            f"cannot write {str(file)!r}: {err.strerror}", ja=f"{str(file)!r} に書き込めません: {err.strerror}"
        ) from err

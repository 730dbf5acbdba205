"""Files that commands write for their user."""

from __future__ import annotations

from pathlib import Path

from evograft.api import UserError, write_atomically


def write_file(path: Path, text: str) -> None:
    """Writes a file whole or not at all.

    Raises:
        UserError: it cannot be written.
    """
    try:
        write_atomically(path, text.encode())
    except OSError as err:
        raise UserError(f"cannot write {str(path)!r}: {err.strerror}") from err

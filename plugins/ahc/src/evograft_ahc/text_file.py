"""Text of the user's files."""

from __future__ import annotations

from pathlib import Path

from evograft_ahc.messages import Mistake


def read_text(file: Path) -> str:
    """The content of a file.

    Raises:
        Mistake: it is not there, or not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        why = err.strerror if isinstance(err, OSError) else f"not UTF-8 at byte {err.start}"
        raise Mistake(f"cannot read {str(file)!r}: {why}", ja=f"{str(file)!r} を読めません: {why}") from err

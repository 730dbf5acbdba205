"""Folders that all workers of one user on a machine share."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from evograft.errors import ServiceError


def ensure_own_folder(name: str) -> Path:
    """Return a folder for files of this user, below that for temporary files.

    Raises:
        ServiceError: somebody else has made one of this name.
    """
    folder = Path(tempfile.gettempdir()) / f"evograft-{name}-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise ServiceError(f"{folder} belongs to somebody else: remove it, or set TMPDIR to a folder of your own")
    return folder

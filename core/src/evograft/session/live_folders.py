"""Folders of conversations that a process works on at this moment."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import gettempdir

from evograft.runs.storage import writer_of
from evograft.user_folders import CONVERSATIONS, ensure_state_folder

TEMPORARY = "evograft-"
QUESTION = "question"
"""The name of a temporary conversation's folder; its parent's name begins with `TEMPORARY`."""


def find_live_folders() -> list[Path]:
    """Return the folders of this user's conversations, kept and temporary, that a process works on at this moment."""
    kept = sorted(ensure_state_folder(CONVERSATIONS).glob("*/"), reverse=True)
    passing = Path(gettempdir()).glob(f"{TEMPORARY}*/{QUESTION}")
    return [folder for folder in (*kept, *filter(_is_private, passing)) if writer_of(folder) is not None]


def _is_private(folder: Path) -> bool:
    """Return whether only this user can have put it there.

    Anybody may make folders and links in the folder for temporary files.
    """
    try:
        parent, own = folder.parent.lstat(), folder.lstat()
    except OSError:
        return False
    is_closed = stat.S_IMODE(parent.st_mode) & 0o022 == 0
    return is_closed and all(stat.S_ISDIR(each.st_mode) and each.st_uid == os.getuid() for each in (parent, own))

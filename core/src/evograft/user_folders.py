"""The user's folders, where they can be written to. Public: plugins keep their caches below them.

Containers with any user id, and accounts without a home, have none that can be: they get a private folder in the
temporary one. What must not be lost, such as a playbook or a ledger, is not kept here: its place is refused by name
instead.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Literal

APP = "evograft"
CONVERSATIONS = "conversations"
"""The part of the path of the user's conversations with agents, below the user's state."""
WITHOUT_HOME = {"cache": (".cache",), "config": (".config",), "state": (".local", "state")}


def ensure_cache_folder(*parts: str) -> Path:
    """Return a folder for what can be made again, made if it is missing.

    Args:
        parts: of its path below the user's cache.
    """
    return _ensure(user_folder("cache"), parts)


def ensure_state_folder(*parts: str) -> Path:
    """Return a folder for what is missed, but not needed, when it is lost; made if it is missing.

    Args:
        parts: of its path below the user's state.
    """
    return _ensure(user_folder("state"), parts)


def user_folder(kind: Literal["cache", "config", "state"]) -> Path:
    """Return where the user keeps things of a kind, whether it is there or not."""
    import platformdirs

    find = {
        "cache": platformdirs.user_cache_path,
        "config": platformdirs.user_config_path,
        "state": platformdirs.user_state_path,
    }[kind]
    try:
        return find(APP)
    except RuntimeError:  # neither HOME nor the list of users knows a home: / is what containers call it then
        return Path("/", *WITHOUT_HOME[kind], APP)


def _ensure(root: Path, parts: tuple[str, ...]) -> Path:
    folder = root.joinpath(*parts)
    problem = _make_writable(folder)
    if not problem:
        return folder
    instead = _private_folder(str(root), problem).joinpath(*parts)
    instead.mkdir(parents=True, exist_ok=True)
    return instead


def _make_writable(folder: Path) -> str:
    """Make a folder; why nothing can be written to it, or nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        return err.strerror or str(err)
    return "" if os.access(folder, os.W_OK | os.X_OK) else "Permission denied"


@functools.cache
def _private_folder(unwritable: str, problem: str) -> Path:
    """Return the folder that takes the place of another, the same for all processes of this user; say so once."""
    import multiprocessing

    folder = Path(tempfile.gettempdir()) / f"{APP}-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        is_own = _is_private(folder)
    except OSError:
        is_own = False
    if not is_own:  # somebody else made it, and could put programs into it
        folder = Path(tempfile.mkdtemp(prefix=f"{APP}-"))
    if multiprocessing.parent_process() is None:  # a worker's main process has said it
        sys.stderr.write(f"Note: cannot write to {unwritable!r} ({problem}): using {str(folder)!r} instead\n")
    return folder


def _is_private(folder: Path) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077

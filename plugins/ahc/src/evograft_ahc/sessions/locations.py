"""Where the sessions of a workspace lie."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from evograft.api import LOCK_FILE, did_you_mean, open_run
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import suggest_in_japanese
from evograft_ahc.workspace.folder import Workspace

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
NEWEST = "log.head"
"""Written with every row of a run's log."""


def make_session_name(now: datetime) -> str:
    """Return the name of a session that nobody named."""
    return f"session_{now:%Y%m%d_%H%M%S}"


def make_session_folder(workspace: Workspace, name: str) -> Path:
    """Return the folder of a session that is to begin.

    Raises:
        ContestUserError: it cannot be called that, or something of that name is there.
    """
    if not NAME.fullmatch(name):
        raise ContestUserError(
            f"a session cannot be called {name!r}: letters, digits, '_', '-' and '.', beginning with a letter or a "
            "digit",
            ja=f"{name!r} はセッション名に使えません: 英数字で始まり、英数字と '_' '-' '.' からなる名前にしてください",
        )
    folder = workspace.folder / name
    if (folder / LOCK_FILE).exists():
        raise ContestUserError(
            f"there is a session {name!r}: go on with it: evo ahc solve --session-id {name}",
            ja=f"セッション {name!r} は既にあります。続けるには: evo ahc solve --session-id {name}",
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ContestUserError(
            f"{str(folder)!r} is something else: choose another --session-name",
            ja=f"{str(folder)!r} は別の用途に使われています。--session-name を変えてください",
        )
    return folder


def list_sessions(workspace: Workspace) -> list[Path]:
    """Return the folders of all sessions, the one that was worked on last at the end."""
    found = [path.parent for path in workspace.folder.glob(f"*/{LOCK_FILE}")]
    return sorted(found, key=get_last_written)


def find_session(workspace: Workspace, word: str) -> Path | None:
    """Return a session by its name or id; `None`: there is none."""
    known = list_sessions(workspace)
    # A session that is damaged stands in the way of no other one's name.
    named = next((folder for folder in known if folder.name == word), None)
    return named or next((folder for folder in known if open_run(folder).id == word), None)


def get_session(workspace: Workspace, word: str | None) -> Path:
    """Return a session by its name or id, or the newest.

    Raises:
        ContestUserError: there is none.
    """
    known = list_sessions(workspace)
    if not known:
        raise ContestUserError(
            f"there is no session in {str(workspace.folder)!r} yet; begin one: evo ahc solve",
            ja=f"{str(workspace.folder)!r} にはまだセッションがありません。始めるには: evo ahc solve",
        )
    if word is None:
        return known[-1]
    found = find_session(workspace, word)
    if found is None:
        names = [folder.name for folder in known]
        raise ContestUserError(
            f"no session {word!r}; {did_you_mean(word, names)}",
            ja=f"セッション {word!r} はありません; {suggest_in_japanese(word, names)}",
        )
    return found


def get_last_written(folder: Path) -> int:
    """Return when a session's log has grown last, in nanoseconds."""
    return max((folder / name).stat().st_mtime_ns for name in (LOCK_FILE, NEWEST) if (folder / name).exists())

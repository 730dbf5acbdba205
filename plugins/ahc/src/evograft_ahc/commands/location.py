"""Where a command was called that needs no workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evograft_ahc.settings.model import AhcSettings
    from evograft_ahc.workspace.folder import Workspace


def find_current_workspace() -> Workspace | None:
    """Return the workspace that the current folder lies in; `None`: it lies in none."""
    from evograft.api import UserError
    from evograft_ahc.workspace.folder import find_workspace

    try:
        return find_workspace(Path.cwd())
    except UserError:
        return None


def get_current_session(word: str | None) -> Path:
    """Return the folder of a session of the current workspace, by its name or id; `None`: of the newest."""
    from evograft_ahc.sessions.locations import get_session
    from evograft_ahc.workspace.folder import find_workspace

    return get_session(find_workspace(Path.cwd()), word)


def load_current_settings() -> tuple[AhcSettings, Path]:
    """Return the settings that hold here, and the folder that relative paths in them are taken from."""
    from evograft_ahc.settings.model import load_settings

    workspace = find_current_workspace()
    return load_settings(workspace).values, workspace.folder if workspace else Path.cwd()

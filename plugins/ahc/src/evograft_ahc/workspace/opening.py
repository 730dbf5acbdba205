"""Workspaces for a run: the one that is named, or one that is made for a contest to practise on."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from evograft.api import ensure_cache_folder
from evograft_ahc.contests.practice import is_practice
from evograft_ahc.text.messages import ContestUserError, Language
from evograft_ahc.workspace.end_check import require_over
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.init import initialize_workspace
from evograft_ahc.workspace.inputs import ensure_inputs


def open_workspace(folder: str, contest: str, *, language: Language) -> Workspace:
    """Open a workspace.

    Args:
        folder: of the workspace; empty: one for the contest, in the user's cache.
        contest: one to practise on. Not read if there is a folder.
        language: of the workspace that is made.

    Raises:
        ContestUserError: the contest needs a workspace.
    """
    if folder:
        return Workspace(Path(folder).absolute())
    if not is_practice(contest):
        raise ContestUserError(
            f"contest {contest!r} needs a workspace: evo ahc init {contest}, "
            "then --set plugins.ahc.with.workspace=FOLDER",
            ja=f"コンテスト {contest!r} には作業フォルダーが必要です: evo ahc init {contest} の後、"
            "--set plugins.ahc.with.workspace=フォルダー を指定してください",
        )
    # Another version of this package may have other tools.
    return initialize_workspace(contest, ensure_cache_folder("ahc", version("evograft-ahc")), language=language)


def require_inputs(workspace: Workspace, statement: Path, count: int) -> None:
    """Ensure the inputs of a run of a contest that is over.

    Raises:
        ContestUserError: the contest is not known to be over, or there are fewer inputs than cases.
    """
    require_over(workspace, statement)
    found = ensure_inputs(workspace, count)
    if len(found) < count:
        raise ContestUserError(
            f"{len(found)} inputs are there, and no generator for more: lower training_cases and held_out_cases, "
            f"{count} together now",
            ja=f"入力は {len(found)} 個で、生成器がありません。training_cases と held_out_cases "
            f"(合計 {count}) を減らしてください",
        )

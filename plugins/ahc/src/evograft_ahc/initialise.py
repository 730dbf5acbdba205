"""A workspace for a contest: its statement, its tools built, inputs, and the files to work with."""

from __future__ import annotations

import re
from pathlib import Path

from evograft_ahc.contest_end import settle_end
from evograft_ahc.inputs import ensure_inputs, official_seeds
from evograft_ahc.locking import locked
from evograft_ahc.messages import Language, Mistake, Tell, tell_nobody
from evograft_ahc.practice_contests import is_practice
from evograft_ahc.practice_workspace import write_practice
from evograft_ahc.workspace import Workspace
from evograft_ahc.workspace_files import write_workspace_files

INPUTS = 100
"""How many inputs a new workspace has, unless the official list of seeds is shorter."""
CONTEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def initialise(
    contest_id: str,
    root: Path,
    *,
    statement: Path | None = None,
    tools: Path | None = None,
    contest_is_over: bool = False,
    language: Language = "en",
    tell: Tell = tell_nobody,
) -> Workspace:
    """Makes the workspace `root/contest_id`, or completes it: what is there stays as it is.

    Args:
        contest_id: as in the site's addresses, or that of a contest to practise on.
        root: the folder of all workspaces.
        statement: a statement that the user brings, HTML, Markdown or PDF.
        tools: the official archive of tools, likewise.
        contest_is_over: the user states that the contest is over; it counts where nothing else is known.
        language: of `problem/problem.md`.
        tell: where progress goes.

    Raises:
        Mistake: the contest is not known to be over, or something is missing that the user can bring.
        Trouble: the site or a toolchain is at fault.
    """
    if not CONTEST_ID.fullmatch(contest_id):
        raise Mistake(
            f"{contest_id!r} is no contest id; one looks like ahc030, as in the address of the contest's page",
            ja=f"{contest_id!r} はコンテスト ID ではありません。URL にある ahc030 のような ID を指定してください",
        )
    workspace = Workspace((root / contest_id).absolute())
    workspace.folder.mkdir(parents=True, exist_ok=True)
    with locked(workspace.folder / ".init.lock"):
        if is_practice(contest_id):
            write_practice(workspace, language, tell)
        else:
            settle_end(contest_id, None, stated=contest_is_over)
            raise Mistake(f"not yet: {statement} {tools}", ja="未対応です")
        tell("inputs", ja="入力を用意しています")
        ensure_inputs(workspace, len(official_seeds(workspace)[:INPUTS]) or INPUTS)
        write_workspace_files(workspace)
    return workspace

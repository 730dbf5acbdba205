"""A workspace for a contest: its statement, its tools built, inputs, and the files to work with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evograft_ahc.contests.practice import is_practice
from evograft_ahc.files.lock import hold_lock
from evograft_ahc.text.messages import (
    ChoicePrompt,
    ContestUserError,
    Language,
    ProgressReporter,
    choose_nothing,
    report_nothing,
)
from evograft_ahc.workspace.end_check import OFFICIAL
from evograft_ahc.workspace.folder import Workspace
from evograft_ahc.workspace.from_practice import write_practice_workspace
from evograft_ahc.workspace.inputs import count_official_seeds, ensure_inputs
from evograft_ahc.workspace.overrides import UserOverrides
from evograft_ahc.workspace.template_files import write_workspace_files

if TYPE_CHECKING:
    from evograft_ahc.workspace.from_site import WorkspaceBuild

INPUTS = 100
"""How many inputs a new workspace has, unless the official list of seeds is shorter."""
CONTEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
SITE = f"https://{OFFICIAL}"


def initialize_workspace(
    contest_id: str,
    root: Path,
    overrides: UserOverrides = UserOverrides(),  # noqa: B008 - frozen
    *,
    language: Language = "en",
    site: str = SITE,
    tell: ProgressReporter = report_nothing,
    choose: ChoicePrompt = choose_nothing,
) -> Workspace:
    """Make the workspace `root/contest_id`, or complete it: existing files stay as they are.

    Args:
        contest_id: as in the site's addresses, or that of a contest to practise on.
        root: the folder of all workspaces.
        overrides: what the user brings or states.
        language: of `problem/problem.md`.
        site: where contests are found.
        tell: where progress goes.
        choose: asks where several things may be meant.

    Raises:
        ContestUserError: nobody knows whether the contest is over or on, it has not begun, or something is missing that
            the user can bring.
        ContestServiceError: the site or a toolchain is at fault.
    """
    if not CONTEST_ID.fullmatch(contest_id):
        raise ContestUserError(
            f"{contest_id!r} is no contest id; one looks like ahc030, as in the address of the contest's page",
            ja=f"{contest_id!r} はコンテスト ID ではありません。URL にある ahc030 のような ID を指定してください",
        )
    workspace = Workspace((root / contest_id).absolute())
    if is_practice(contest_id):
        with _made(workspace):
            write_practice_workspace(workspace, language, tell)
            _complete(workspace, language, tell)
    else:
        from evograft_ahc.contests.atcoder.site import open_site
        from evograft_ahc.workspace.from_site import WorkspaceBuild

        with open_site(site) as opened:
            _make_official(WorkspaceBuild(workspace, overrides, opened, language, tell, choose))
    return Workspace(workspace.folder)


def _make_official(build: WorkspaceBuild) -> None:
    from evograft_ahc.workspace.from_site import settle_contest, write_site_workspace

    settled = settle_contest(build)
    with _made(build.workspace):
        write_site_workspace(build, settled)
        _complete(build.workspace, build.language, build.tell)


@contextmanager
def _made(workspace: Workspace) -> Iterator[None]:
    """Make the folder, with no other process working on it; if nothing comes into it, it is removed."""
    workspace.folder.mkdir(parents=True, exist_ok=True)
    lock = workspace.folder / ".init.lock"
    with hold_lock(lock):
        # The process that was waited for may have taken the folder away.
        workspace.folder.mkdir(parents=True, exist_ok=True)
        try:
            yield
        finally:
            if [*workspace.folder.iterdir()] == [lock]:
                lock.unlink(missing_ok=True)
                workspace.folder.rmdir()


def _complete(workspace: Workspace, language: Language, tell: ProgressReporter) -> None:
    """Write what a workspace has whatever its contest."""
    tell("making inputs", ja="入力を用意しています")
    ensure_inputs(workspace, len(count_official_seeds(workspace)[:INPUTS]) or INPUTS)
    write_workspace_files(workspace, language)

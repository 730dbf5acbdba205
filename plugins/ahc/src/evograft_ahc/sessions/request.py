"""What the engine is asked for: a new session, or to resume one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evograft.api import Pipeline, open_run, pipeline_from, preset_data, with_overrides, writer_of
from evograft_ahc.sessions.locations import find_session, make_session_folder, make_session_name
from evograft_ahc.sessions.models import require_key
from evograft_ahc.sessions.resume import find_changes, require_at_home
from evograft_ahc.sessions.to_pipeline import PLUGIN, apply_settings
from evograft_ahc.settings.model import AhcSettings
from evograft_ahc.text.messages import ContestUserError, Language, ProgressReporter
from evograft_ahc.workspace.end_check import require_over
from evograft_ahc.workspace.folder import Workspace


@dataclass(frozen=True)
class SessionRequest:
    """To the engine."""

    folder: Path
    """Of the session."""
    language: Language
    pipeline: Pipeline | None = None
    """`None`: the session exists and is resumed."""
    overrides: tuple[str, ...] = ()
    """What changes of a session that continues."""


def build_request(
    workspace: Workspace,
    settings: AhcSettings,
    *,
    name: str | None,
    session_id: str | None,
    problem_file: Path | None,
    overrides: Sequence[str],
    tell: ProgressReporter,
) -> SessionRequest:
    """Check what can be checked, and return what is to be run where.

    Args:
        workspace: of the contest.
        settings: those that hold, options given included.
        name: of a new session; `None`: from date and time.
        session_id: of a session to resume, or to begin under this name.
        problem_file: a statement next to the workspace's own.
        overrides: settings of the pipeline, as `--set` takes them.
        tell: is told what could not be done as the settings say.

    Raises:
        ContestUserError: the contest may not be worked on, or something that is asked for does not fit.
    """
    require_over(workspace, problem_file)
    require_key(settings.llm)
    statement = "" if problem_file is None else str(problem_file.absolute())
    known = None if session_id is None else find_session(workspace, session_id)
    if known is not None:
        _require_no_name(name, session_id)
        _require_idle(known)
        run = open_run(known)
        require_at_home(run, workspace)
        changed = find_changes(run, settings, workspace, problem_file=statement, tell=tell)
        return SessionRequest(known, settings.language, overrides=(*changed, *overrides))
    folder = make_session_folder(workspace, name or session_id or _free_name(workspace))
    data = apply_settings(_preset(), settings, workspace, problem_file=statement)
    pipeline = pipeline_from(with_overrides(data, overrides), source="--set" if overrides else "the settings")
    return SessionRequest(folder, settings.language, pipeline=pipeline)


def _preset() -> dict[str, object]:
    """Return the preset with every default written out."""
    return pipeline_from(preset_data(PLUGIN), source=f"preset of plugin {PLUGIN!r}").to_data()


def _free_name(workspace: Workspace) -> str:
    """Make a name from date and time; of two sessions of one second the later gets a number."""
    name, number = make_session_name(datetime.now().astimezone()), 1
    free = name
    while (workspace.folder / free).exists():
        number += 1
        free = f"{name}_{number}"
    return free


def _require_idle(session: Path) -> None:
    holder, name = writer_of(session), session.name
    if holder is not None:
        raise ContestUserError(
            f"session {name!r} is running in process {holder}: see it with evo ahc status {name}, instruct it with "
            "evo ahc tell "
            f"{name} TEXT, or stop it first with evo ahc stop {name}",
            ja=f"セッション {name!r} は実行中です (プロセス {holder})。状況は evo ahc status {name}、指示は evo "
            f"ahc tell {name} TEXT、"
            f"続きを始めるには先に evo ahc stop {name} で停止してください",
        )


def _require_no_name(name: str | None, session_id: str | None) -> None:
    if name is not None:
        raise ContestUserError(
            f"--session-id {session_id} goes on with a session that has its name: leave out --session-name",
            ja=f"--session-id {session_id} は既存のセッションの続きです。--session-name は付けないでください",
        )

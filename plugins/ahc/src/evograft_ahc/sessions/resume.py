"""Going on with a session under the settings as they are now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from evograft.api import Pipeline, RunFolder, pipeline_from
from evograft_ahc.sessions.to_pipeline import PLUGIN, apply_settings, build_options
from evograft_ahc.settings.model import AhcSettings
from evograft_ahc.text.messages import ContestUserError, ProgressReporter
from evograft_ahc.workspace.folder import Workspace

MAY_CHANGE = ("llm", "budget", "plugins")


def find_changes(
    run: RunFolder, settings: AhcSettings, workspace: Workspace, *, problem_file: str, tell: ProgressReporter
) -> list[str]:
    """Return what the settings change of a session, as `evo resume --set` takes it.

    Args:
        run: the session.
        settings: those that hold now.
        workspace: of the contest.
        problem_file: the statement; empty: as it was.
        tell: is told what cannot be changed.
    """
    size = run.pipeline.generation_size
    if settings.evolution.population_size != size:
        tell(
            f"population_size stays {size}: it is fixed for the life of a session",
            ja=f"population_size は {size} のままです: セッションの途中では変えられません",
        )
    fixed = settings.evolution.model_copy(update={"population_size": size})
    settings = settings.model_copy(update={"evolution": fixed})
    before = _plain(run.pipeline)
    statement = problem_file or build_options(before, PLUGIN).get("problem_file", "")
    now = apply_settings(before, settings, workspace, problem_file=statement)
    after = _plain(pipeline_from(now, source="the settings"))
    return list(_assignments(before, after))


def require_at_home(run: RunFolder, workspace: Workspace) -> None:
    """Refuse to resume a session elsewhere than where it was begun: its log names the files it judges with.

    Raises:
        ContestUserError: naming the folder that it was begun in.
    """
    sections = (section.with_ for section in run.pipeline.plugins if section.name == PLUGIN)
    begun = next((str(options.get("workspace", "")) for options in sections), "")
    if not begun or Path(begun).resolve() != workspace.folder.resolve():
        raise ContestUserError(
            f"session {run.name!r} was not begun in {str(workspace.folder)!r} but in {begun!r}: move the workspace "
            "back, or "
            "begin a new session",
            ja=f"セッション {run.name!r} は {str(workspace.folder)!r} ではなく {begun!r} で始められました。"
            "ワークスペースを元の"
            "場所に戻すか、新しいセッションを始めてください",
        )


def _assignments(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in MAY_CHANGE:
        if key == "llm" and _are_same_models(before[key], after[key]):
            continue
        if before[key] != after[key]:
            # JSON would not do: YAML reads its 1e-05 as text.
            value = yaml.safe_dump(after[key], default_flow_style=True, width=float("inf"), allow_unicode=True)
            yield f"{key}={value.strip()}"


def _are_same_models(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether nothing is new but the prices, which were filled in when the run started."""
    return _without_prices(before) == _without_prices(after)


def _without_prices(llm: Mapping[str, Any]) -> dict[str, Any]:
    return {**llm, "models": [{**model, "price": None} for model in llm["models"]]}


def _plain(pipeline: Pipeline) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(pipeline.to_data()))
    return data

"""A batch of sessions as the engine's batch, and its results as one table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evograft.api import pipeline_from, preset_data, with_overrides
from evograft_ahc.recorder import SESSION
from evograft_ahc.sessions.batch.file import AhcBatch, PlannedSession
from evograft_ahc.sessions.models import require_key
from evograft_ahc.sessions.to_pipeline import PLUGIN, apply_settings
from evograft_ahc.workspace.end_check import require_over
from evograft_hookspecs.values import thaw

ALONE = f"plugins.{PLUGIN}.with.earlier_sessions=false"
"""Sessions that are compared learn nothing from one another."""


def build_batch(batch: AhcBatch, planned: Sequence[PlannedSession], *, name: str) -> dict[str, Any]:
    """Build the batch file of `evo batch`: what the sessions have in common, and what each changes of that.

    Raises:
        ContestUserError: a contest may not be worked on, or a key is missing.
    """
    preset = pipeline_from(preset_data(PLUGIN), source=f"preset of plugin {PLUGIN!r}").to_data()
    pipelines = {each.name: _pipeline(preset, each, batch) for each in planned}
    common = next(iter(pipelines.values()))
    return {
        "name": name,
        "pipeline": common,
        "problems": [{"name": each, "set": dict(_changes(common, data))} for each, data in pipelines.items()],
        "seeds": list(batch.seeds),
        "parallel": batch.parallel,
    }


def build_table(folder: Path, planned: Sequence[PlannedSession]) -> list[dict[str, Any]]:
    """Return a row a session, with the keys that were varied and what came of them.

    Args:
        folder: of the engine's batch.
        planned: the sessions.
    """
    by_name = {each.name: each for each in planned}
    runs = json.loads((folder / "results.json").read_text(encoding="utf-8"))["runs"]
    return [_row(folder, by_name[run["problem"]], run) for run in runs]


def format_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _pipeline(preset: Mapping[str, Any], session: PlannedSession, batch: AhcBatch) -> dict[str, Any]:
    require_over(session.workspace)
    require_key(session.settings.llm)
    data = apply_settings(preset, session.settings, session.workspace)
    assignments = (f"{key}={json.dumps(thaw(value))}" for key, value in batch.pipeline.items())
    changed = with_overrides(data, (ALONE, *assignments))
    return pipeline_from(changed, source=session.name).to_data()


def _changes(common: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield settings as `--set` names them; options of plugins one by one."""
    for key, value in own.items():
        if key != "plugins":
            yield from [(key, value)] if value != common[key] else []
            continue
        before = {section["name"]: section["with"] for section in common[key]}
        for section in value:
            for option, held in section["with"].items():
                if held != before[section["name"]].get(option):
                    yield f"plugins.{section['name']}.with.{option}", held


def _row(folder: Path, session: PlannedSession, run: Mapping[str, Any]) -> dict[str, Any]:
    told = _told(folder / "runs" / run["run"] / SESSION)
    history = told.get("best_score_history") or [{"score": None}]
    return {
        "session": run["run"],
        "problem": session.workspace.folder.name,
        **session.varied,
        "seed": run["seed"],
        "state": run["state"],
        "best_score": history[-1]["score"],
        "generations": told.get("current_generation"),
        "tokens": run["prompt_tokens"] + run["completion_tokens"],
        "estimated_cost_usd": run["dollars"],
        "elapsed_seconds": run["elapsed"],
    }


def _told(file: Path) -> dict[str, Any]:
    """Return the record of a session; nothing of one that could not begin."""
    try:
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return told

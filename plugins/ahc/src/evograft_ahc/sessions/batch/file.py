"""The batch file: which settings are tried on which contests."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from evograft.api import read_yaml, validate
from evograft_ahc.settings.model import (
    AhcSettings,
    SettingsSection,
    flatten,
    load_settings,
    make_unknown_key_error,
    merge,
    nest,
    validate_settings,
)
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.workspace.folder import TASK_FILE, Workspace
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Json, thaw

LONGEST_NAME = 60
"""That a batch of the engine takes."""


class AhcBatch(SettingsSection):
    """Every combination of the matrix, on every problem, with every seed."""

    problems: Annotated[tuple[str, ...], Field(min_length=1)]
    """Folders of workspaces, relative to this file."""
    settings: FrozenDict[str, Json] = FrozenDict()
    """Of all sessions, by dotted key: they go before those of the workspaces."""
    matrix: FrozenDict[str, tuple[Json, ...]] = FrozenDict()
    """The values that each key takes, such as `llm.model: [gpt-4o, gpt-5-mini]`."""
    pipeline: FrozenDict[str, Json] = FrozenDict()
    """Settings of the pipeline, as `--set` takes them, such as `plugins.ahc.with.training_cases: 20`."""
    seeds: tuple[int, ...] = ()
    """Of the runs; none: that of the pipeline."""
    parallel: Annotated[int, Field(ge=1)] = 1
    """How many sessions are worked on at a time."""

    @field_validator("settings", "matrix")
    @classmethod
    def _known(cls, value: FrozenDict[str, Any]) -> FrozenDict[str, Any]:
        known = dict(flatten(AhcSettings().model_dump(mode="json")))
        for key in value:
            if key not in known:
                raise ValueError(str(make_unknown_key_error(key)))
        return value

    @field_validator("matrix")
    @classmethod
    def _some_values(cls, value: FrozenDict[str, tuple[Any, ...]]) -> FrozenDict[str, tuple[Any, ...]]:
        for key, values in value.items():
            if not values:
                raise ValueError(f"{key}: there is no value")
        return value


@dataclass(frozen=True)
class PlannedSession:
    """A contest under a combination of settings, whatever the seed."""

    name: str
    workspace: Workspace
    varied: Mapping[str, Any]
    """What the matrix says of it."""
    settings: AhcSettings


def read_batch(file: Path) -> AhcBatch:
    """Read a batch file.

    Raises:
        UserError: naming the file, the path of the key, and the nearest known key.
    """
    return validate(AhcBatch, read_yaml(file), source=str(file), shape="a batch is a mapping with `problems`")


def plan_sessions(batch: AhcBatch, file: Path) -> list[PlannedSession]:
    """Plan all sessions, by problem, then in the order of the matrix.

    Raises:
        UserError: a problem is no workspace, or a value does not fit its key.
    """
    planned = list(_planned(batch, file))
    names = [each.name for each in planned]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ContestUserError(
            f"{file}: {twice} is there twice: leave one of them out", ja=f"{file}: {twice} が重複しています"
        )
    return planned


def _planned(batch: AhcBatch, file: Path) -> Iterator[PlannedSession]:
    for problem in batch.problems:
        workspace = _workspace(file.parent / problem)
        loaded = load_settings(workspace).values.model_dump(mode="json")
        for values in itertools.product(*batch.matrix.values()):
            varied = thaw(dict(zip(batch.matrix, values, strict=True)))
            changes = nest({**thaw(batch.settings), **varied})
            settings = AhcSettings.model_validate(merge(loaded, validate_settings(changes, source=str(file))))
            yield PlannedSession(_name(workspace.folder.name, varied), workspace, varied, settings)


def _workspace(folder: Path) -> Workspace:
    """Return the workspace that a folder is; a folder that only lies in one is none that the file names."""
    workspace = Workspace(folder.absolute())
    if not (workspace.folder / TASK_FILE).is_file():
        raise ContestUserError(
            f"{str(folder)!r} is no workspace; make one with: evo ahc init CONTEST_ID",
            ja=f"{str(folder)!r} は作業フォルダーではありません。evo ahc init CONTEST_ID で作れます",
        )
    return workspace


def _name(problem: str, varied: Mapping[str, Any]) -> str:
    """Readable, and its own: the contest, and each key's last part with its value."""
    parts = [problem, *(f"{key.rpartition('.')[2]}-{value}" for key, value in varied.items())]
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", "_".join(parts)).strip("-_")
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.blake2b(json.dumps([problem, varied]).encode(), digest_size=4).hexdigest()
    return f"{name[: LONGEST_NAME - len(digest) - 1]}-{digest}"

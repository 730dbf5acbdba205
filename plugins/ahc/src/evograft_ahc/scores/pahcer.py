"""Runs of pahcer, a tool that tests programs locally, read from the folder that it writes results to."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from evograft_ahc.contests.task import Direction
from evograft_ahc.files.user_file import read_bytes, read_text
from evograft_ahc.scores.run import Revision, ScoredRun
from evograft_ahc.text.messages import ContestUserError
from evograft_ahc.text.validation_errors import make_invalid_data_error
from evograft_ahc.workspace.inputs import get_case_name

CONFIG, DEFAULT_FOLDER = "pahcer_config.toml", "pahcer"
BEST_SCORES = TypeAdapter(dict[str, int])


class PahcerCase(BaseModel):
    """A case of a result."""

    seed: int = Field(ge=0)
    score: int = Field(ge=0)
    """0: it failed."""
    execution_time: float = 0.0
    """In seconds."""


class PahcerResult(BaseModel):
    """A file `json/result_*.json`, as far as it is read."""

    start_time: AwareDatetime
    comment: str = ""
    tag_name: str | None = None
    cases: tuple[PahcerCase, ...]


def read_pahcer_folder(folder: Path, direction: Direction) -> Iterator[ScoredRun]:
    """Yield the results of a folder, then its best scores as one run, if they are there.

    Args:
        folder: that of the results, or the one with `pahcer_config.toml`.
        direction: of the workspace's contest.

    Raises:
        ContestUserError: there are no results, one is damaged, or they are of a contest with the other direction.
    """
    results = _find_results(folder, direction)
    files, best = sorted(results.glob("json/result_*.json")), results / "best_scores.json"
    if not files and not best.is_file():
        raise ContestUserError(
            f"no results of pahcer in {str(results)!r}: name the folder with {CONFIG}, or the one that it writes to",
            ja=f"{str(results)!r} に pahcer の結果がありません。{CONFIG} のあるフォルダーか"
            "結果のフォルダーを指定してください",
        )
    yield from map(_read_result, files)
    if best.is_file():
        yield _read_best_scores(best)


def _find_results(folder: Path, direction: Direction) -> Path:
    config = folder / CONFIG
    if not config.is_file():
        return folder
    try:
        settings = tomllib.loads(read_text(config))
    except tomllib.TOMLDecodeError as err:
        raise ContestUserError(
            f"{str(config)!r} is no TOML: {err}", ja=f"{str(config)!r} は TOML ではありません: {err}"
        ) from err
    objective = str(settings.get("problem", {}).get("objective", direction)).lower()
    if objective != direction:
        raise ContestUserError(
            f"{str(config)!r} says that the objective is {objective!r}, and task.json that it is {direction!r}: import "
            "into the workspace of the same contest, or mend one of the two",
            ja=f"{str(config)!r} の目的は {objective!r} ですが、task.json では {direction!r} です。同じコンテストの"
            "作業フォルダーに取り込むか、どちらかを直してください",
        )
    return folder / str(settings.get("test", {}).get("out_dir", DEFAULT_FOLDER))


def _read_result(file: Path) -> ScoredRun:
    try:
        result = PahcerResult.model_validate_json(read_bytes(file))
    except ValidationError as err:
        raise make_invalid_data_error(file, err) from err
    return ScoredRun(
        key=f"pahcer/{result.start_time.isoformat()}",
        source="pahcer",
        name=file.stem,
        at=result.start_time.timestamp(),
        scores={get_case_name(case.seed): case.score or None for case in result.cases},
        comment=result.comment,
        revision=Revision(tag=result.tag_name or ""),
        slowest=max((case.execution_time for case in result.cases), default=None),
    )


def _read_best_scores(file: Path) -> ScoredRun:
    try:
        best = BEST_SCORES.validate_json(read_bytes(file))
        scores = {get_case_name(int(seed)): float(score) for seed, score in best.items() if score > 0}
    except ValueError as err:  # of pydantic as well
        raise ContestUserError(
            f"{str(file)!r} is no table of seeds and scores", ja=f"{str(file)!r} はシードと得点の表ではありません"
        ) from err
    return ScoredRun(
        key=f"pahcer/best of {file.absolute().parent}",
        source="best",
        name="pahcer",
        at=file.stat().st_mtime,
        scores=scores,
    )

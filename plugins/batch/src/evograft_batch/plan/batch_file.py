"""The batch file: which runs a batch consists of, read from YAML and checked to the last key."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, field_validator, model_validator

from evograft.config.loading import validate
from evograft.config.pipeline import Positive
from evograft.config.yaml_file import read_yaml
from evograft.errors import UserError, did_you_mean
from evograft.plugin.loading import preset_data
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Count, Json, Name, Value, thaw

MOST_RUNS = 10_000
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=60)]
Setting = Annotated[str, Field(pattern=r"^[A-Za-z_][\w-]*(\.[\w-]+)*$", max_length=200)]
"""A key of the pipeline as `--set` takes it, such as `budget.trials`."""
Settings = FrozenDict[Setting, Json]


class ProblemSection(Value):
    """A problem that all combinations are tried on: settings under a name."""

    model_config = ConfigDict(populate_by_name=True)

    name: FileName
    set_: Settings = Field(default=FrozenDict(), alias="set")
    """Overrules the batch's own `set`."""


class BatchFile(Value):
    """The runs of a batch: every combination of the matrix, on every problem, with every seed."""

    model_config = ConfigDict(populate_by_name=True)

    name: FileName = "batch"
    """The first part of the names of its folders."""
    pipeline: FrozenDict[str, Json] | None = None
    """What all runs have in common; in a file also the path of a pipeline file, relative to the batch file."""
    plugin: Name | None = None
    """Instead of `pipeline`: the plugin whose preset all runs have in common."""
    set_: Settings = Field(default=FrozenDict(), alias="set")
    """Settings of all runs."""
    matrix: FrozenDict[Setting, tuple[Json, ...]] = FrozenDict()
    """The values that each setting takes."""
    problems: tuple[ProblemSection, ...] = ()
    seeds: tuple[Count, ...] = ()
    """The runs' seeds, or how many: 3 is short for 0, 1, 2. None: the pipeline's own."""
    exclude: tuple[FrozenDict[Name, Json], ...] = ()
    """Combinations of the matrix that are left out: those that have all the values of an entry."""
    include: tuple[Settings, ...] = ()
    """Further combinations, each as all of its settings."""
    parallel: Positive = 1
    """How many runs are worked on at a time."""

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, value: Any) -> Any:
        if type(value) is int:
            if not 1 <= value <= MOST_RUNS:
                raise ValueError(f"a number of seeds is from 1 to {MOST_RUNS}; or list them")
            return tuple(range(value))
        return value

    @field_validator("matrix", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        for key, values in value.items() if isinstance(value, Mapping) else ():
            if not isinstance(values, (list, tuple)) or not values:
                raise ValueError(f"{key}: write the values that it takes as a list")
        return value

    @model_validator(mode="after")
    def _sound(self) -> BatchFile:
        if (self.pipeline is None) == (self.plugin is None):
            raise ValueError("name what all runs have in common, as `pipeline` or as `plugin`")
        self._check_repetitions()
        self._check_clashes()
        self._check_exclusions()
        each = len(self.include) + math.prod(map(len, self.matrix.values()))
        count = each * max(1, len(self.problems)) * max(1, len(self.seeds))
        if count > MOST_RUNS:
            raise ValueError(f"these are {count} runs, and {MOST_RUNS} is the most")
        return self

    def _check_repetitions(self) -> None:
        _require_distinct("seeds", self.seeds)
        _require_distinct("problems", [problem.name.casefold() for problem in self.problems])
        _require_distinct("include", self.include)
        for key, values in self.matrix.items():
            _require_distinct(f"matrix.{key}", values)

    def _check_clashes(self) -> None:
        """Refuse what would silently be overruled: all these are applied to one pipeline, the matrix last."""
        varied = [*self.matrix, *(key for combination in self.include for key in combination)]
        fixed = [*self.set_, *(key for problem in self.problems for key in problem.set_)]
        if "seed" in varied or (self.seeds and "seed" in fixed):
            raise ValueError("seed: name the seeds in one place, under `seeds`")
        for key in self.matrix:
            for other in (*(each for each in self.matrix if each != key), *fixed):
                if f"{other}.".startswith(f"{key}."):
                    raise ValueError(f"matrix.{key} would overrule {other}, which is set too: leave one of them out")

    def _check_exclusions(self) -> None:
        known = {*self.matrix, "problem", "seed"}
        for entry in self.exclude:
            for key in sorted(entry.keys() - known):
                raise ValueError(f"exclude: {key!r} is not varied; {did_you_mean(key, known)}")

    def to_data(self) -> dict[str, Any]:
        """Return plain data that `parse_batch` reads back equal."""
        data: dict[str, Any] = thaw(self.model_dump(by_alias=True))
        return data


def read_batch_file(path: Path) -> BatchFile:
    """Read a batch file; the pipeline that it names by path or plugin is in the answer itself.

    Raises:
        UserError: naming the file, the path of the key, and the nearest known key.
    """
    data = read_yaml(path)
    if isinstance(data, Mapping) and isinstance(data.get("pipeline"), str):
        data = {**data, "pipeline": _pipeline_data(path.parent / data["pipeline"])}
    batch = parse_batch(data, source=str(path))
    if batch.plugin is None:
        return batch
    return parse_batch({**batch.to_data(), "plugin": None, "pipeline": preset_data(batch.plugin)}, source=str(path))


def parse_batch(data: Any, *, source: str) -> BatchFile:
    """Validate plain data as a batch file."""
    return validate(BatchFile, data, source=source, shape="a batch is a mapping with `pipeline` or `plugin`")


def format_value(value: Any) -> str:
    """Return the text by which two values are compared."""
    return json.dumps(thaw(value), sort_keys=True, ensure_ascii=False)


def _pipeline_data(path: Path) -> Any:
    data = read_yaml(path)
    if not isinstance(data, Mapping):
        raise UserError(f"{path}: a pipeline is a mapping with a list `plugins`, not {type(data).__name__}")
    return data


def _require_distinct(where: str, values: Any) -> None:
    texts = [format_value(value) for value in values]
    for text in texts:
        if texts.count(text) > 1:
            raise ValueError(f"{where}: {text} is listed twice")

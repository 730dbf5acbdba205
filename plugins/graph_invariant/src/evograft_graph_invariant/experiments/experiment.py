"""An experiment's file, JSON or YAML: the plugin's options next to the extent and the means of the search."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, field_validator, model_validator

from evograft.api import UserError, parse_yaml, validate
from evograft_graph_invariant.options import GraphInvariantOptions, Share
from evograft_hookspecs import FrozenDict
from evograft_hookspecs.values import Count, Json, Name, Text

Positive = Annotated[int, Field(strict=True, ge=1)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Temperature = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=60)]
MOST_SEEDS = 1000
MOST_BYTES = 1_000_000
"""The limit of a file; the longest that makes sense has some thousands."""


class IslandSettings(GraphInvariantOptions):
    """An experiment's name and islands, next to the options of the plugin."""

    experiment_id: Identifier | None = None
    """The name of its checkpoints' folder; `phase1` or `phase2` if nothing is said."""
    artifacts: Text | None = None
    """The folder of its records and its run; `artifacts/<experiment_id>` if nothing is said."""
    seed: Count | None = None
    """The seed of the run. The graphs follow from `master_seed`, which is drawn from this one if nothing is said."""
    generations: Positive | None = None
    """The most there are."""
    population_size: Positive | None = None
    """Candidates of each island in a generation."""
    islands: Annotated[tuple[FrozenDict[Name, Json], ...], Field(min_length=1)] | None = None
    """The islands, each with `name`, `temperature` and `strategy`."""
    temperatures: tuple[Temperature, ...] | None = None
    """The temperatures of the islands, in their order; short for writing all islands down."""
    elites: Positive | None = None
    """The most candidates that an island keeps."""
    migration_every: Count | None = None
    """Generations between two migrations; 0: never."""
    migrants: Positive | None = None
    archive: FrozenDict[Name, Json] | None = None
    """A MAP-Elites archive next to the islands, as `axes` and `bins`."""
    archive_share: Share | None = None
    """How often parents come from the archive instead of an island."""
    early_stop: Count | None = None
    """Stop when no island improved in this many generations in a row; 0: never."""


class Experiment(IslandSettings):
    """What is left out is as the phase's preset has it. All options of the plugin are keys here, too."""

    model_config = ConfigDict(populate_by_name=True)

    model: str | FrozenDict[Name, Json] | None = None
    """`DRIVER:MODEL`, `none`, or the section `llm` of a pipeline. Nothing said: Ollama where it answers, else none."""
    self_correction: bool | None = None
    """Whether a model gets its rejected candidate back once, with the error."""
    workers: Positive | None = None
    """Candidates that are evaluated at a time; of no influence on the result."""
    seconds: Amount | None = None
    """The most wall time, over all sessions."""
    dollars: Amount | None = None
    """The most that calls of models may cost."""
    tokens: Positive | None = None
    calls: Positive | None = None
    """The most calls of models, corrections included; as many as candidates if nothing is said."""
    phase1_summary: str | None = None
    """For phase 2: the summary of the phase 1 that it builds on, relative to this file."""
    set_: FrozenDict[Name, Json] = Field(default=FrozenDict(), alias="set")
    """Any other setting of the pipeline by its key, such as `deadlines.final: 3600`."""

    @field_validator("model", mode="before")
    @classmethod
    def _names_a_driver(cls, value: Any) -> Any:
        driver = value.get("driver") if isinstance(value, Mapping) else str(value or "").partition(":")[0]
        if value is not None and (not driver or not isinstance(value, str | Mapping)):
            raise ValueError("is DRIVER:MODEL, or none, or a section with its `driver`")
        return value

    @field_validator("artifacts")
    @classmethod
    def _is_a_path(cls, value: str | None) -> str | None:
        if value is not None and ("\0" in value or not value):
            raise ValueError("is the path of a folder")
        return value

    @model_validator(mode="after")
    def _says_things_once(self) -> Experiment:
        if self.records is not None:
            raise ValueError("records: experiment_id and artifacts say where they go, so leave it out")
        return self

    def plugin_options(self) -> dict[str, Any]:
        """Return the options of the plugin that the file sets."""
        names = self.model_fields_set & set(GraphInvariantOptions.model_fields)
        data: dict[str, Any] = self.model_dump(mode="json", include=names, exclude_unset=True)
        return data


class Benchmark(Experiment):
    """A sweep of phase 1 over seeds, as it is and with settings changed."""

    seeds: Annotated[tuple[Count, ...], Field(min_length=1)] = (0, 1, 2, 3, 4)
    """The runs' seeds, or how many: 5 is short for 0 to 4."""
    parallel: Positive = 2
    """How many runs are worked on at a time."""
    ablate: FrozenDict[Identifier, FrozenDict[Name, Json]] = FrozenDict()
    """Variants by name, each as the keys of this file that it changes."""

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, value: Any) -> Any:
        if type(value) is int:
            if not 1 <= value <= MOST_SEEDS:
                raise ValueError(f"a number of seeds is from 1 to {MOST_SEEDS}; or list them")
            return tuple(range(value))
        return value

    @model_validator(mode="after")
    def _varies_what_may_vary(self) -> Benchmark:
        if self.seed is not None:
            raise ValueError("seed: name the seeds under `seeds`")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds: one is listed twice")
        if FULL in self.ablate:
            raise ValueError(f"ablate: {FULL!r} is what the file is without changes; name the variant otherwise")
        for name, changes in self.ablate.items():
            if common := next((key for key in COMMON if key in changes), None):
                raise ValueError(f"ablate.{name}: {common} is the same for all variants")
        return self


FULL = "full"
"""The variant without changes."""

OWN_KEYS = ("seeds", "parallel", "ablate", "artifacts", "experiment_id")
"""Keys of the sweep as a whole."""
COMMON = (*OWN_KEYS, "seed")
"""Keys that no variant changes."""

Config = TypeVar("Config", bound=Experiment)


def read_experiment(path: Path, model: type[Config]) -> Config:
    """Read an experiment's file, or a ready one by its name if there is no such file.

    Raises:
        UserError: naming the file, the path of the key, and the nearest known key.
    """
    ready = _ready(path)
    if ready is not None:
        return validate_experiment(parse_yaml(ready, source=path.name), model, source=path.name)
    return validate_experiment(_read(path), model, source=str(path))


def list_ready_names() -> tuple[str, ...]:
    """Return the names of the experiments that come with the plugin."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in _ready_folder().iterdir()))


def _ready(path: Path) -> str | None:
    """Return the text of a ready experiment; `None`: a file is meant."""
    if path.name != str(path) or path.name not in list_ready_names() or path.exists():
        return None
    return (_ready_folder() / f"{path.name}.yaml").read_text(encoding="utf-8")


def _ready_folder() -> Traversable:
    return importlib.resources.files("evograft_graph_invariant") / "experiments" / "ready"


def validate_experiment(data: Any, model: type[Config], *, source: str) -> Config:
    """Validate plain data as an experiment."""
    try:
        return validate(model, data, source=source, shape="an experiment is a mapping of settings")
    except RecursionError as err:
        raise UserError(f"{source} is nested more deeply than any experiment") from err


def _read(path: Path) -> Any:
    text = _text(path)
    if path.suffix != ".json":
        return parse_yaml(text, source=str(path))
    try:
        return json.loads(text, object_pairs_hook=_with_each_key_once)
    except (ValueError, RecursionError) as err:
        raise UserError(f"{path} is no valid JSON: {err}") from err


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as err:
        ready = f"; ready ones are {', '.join(list_ready_names())}" if isinstance(err, FileNotFoundError) else ""
        raise UserError(f"cannot read {str(path)!r}: {err.strerror}{ready}") from err
    if len(data) > MOST_BYTES:
        raise UserError(f"{path} has more than {MOST_BYTES:,} bytes, which no experiment has")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise UserError(f"cannot read {str(path)!r}: it is not UTF-8 text") from err


def _with_each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON would silently drop all but the last."""
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return data

"""The pipeline: what a run is composed of, read from YAML, checked to the last key, and printable as it was resolved."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from evograft.errors import UserError, did_you_mean
from evograft_hookspecs.drivers.llm import Price
from evograft_hookspecs.types import OperatorId
from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Number, Value, thaw

NAMES = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
"""What the names of pipelines look like."""

OwnedVerb = Literal["analyze", "select", "evaluate"]
Positive = Annotated[int, Field(strict=True, ge=1)]
Seconds = Annotated[float, Field(strict=True, gt=0)]
Weight = Annotated[float, Field(strict=True, ge=0)]
Model = TypeVar("Model", bound=BaseModel)

MOST_NESTED = 2000
"""Levels of YAML that are left to libyaml, which dies of some ten thousand."""


def _named(value: Any) -> Any:
    """A list whose bare names are short for sections with a name."""
    if isinstance(value, (list, tuple)):
        return tuple({"name": item} if isinstance(item, str) else item for item in value)
    return value


def _once(what: str, names: Iterable[str]) -> None:
    listed = list(names)
    twice = sorted({name for name in listed if listed.count(name) > 1})
    if twice:
        raise ValueError(f"{what} {twice[0]!r} is listed twice")


class PluginSection(Value):
    """One active plugin."""

    model_config = ConfigDict(populate_by_name=True)

    name: Name
    with_: FrozenDict[Name, Json] = Field(default=FrozenDict(), alias="with")
    """The plugin's own options, validated by the plugin's own model."""


class DriverSection(Value):
    """A driver by name; every other key is an option of that driver."""

    model_config = ConfigDict(extra="allow")

    driver: Name

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class EmbeddingSection(DriverSection):
    """Likeness of meaning, by vectors of a driver."""

    threshold: Annotated[float, Field(strict=True, gt=0, le=1)] = 0.98
    """The cosine similarity from which on a candidate counts as a duplicate."""


class ModelSection(Value):
    """A model that may be asked."""

    name: Name
    weight: Weight = 1.0
    """How often it is drawn, compared with the others."""
    price: Price | None = None
    """Dollars per million tokens; filled in when a run starts, where the driver knows it. `None`: unknown."""
    optional: bool = False
    """Whether the run continues without its answers: a call that it cannot answer is refused, and nothing else ends."""


class LlmSection(DriverSection):
    """How models are asked; every key that is not here is an option of the driver."""

    models: tuple[ModelSection, ...] = ()
    choice: Literal["weights", "bandit"] = "weights"
    """How the model of a trial is drawn: by weight, or also by how much it improved for its cost."""
    concurrency: Positive | None = None
    """How many calls are in flight at most, whatever the number of workers. Unset: 4, and 1 where a person answers."""
    retries: Annotated[int, Field(strict=True, ge=0, le=100)] = 4
    """How often a call that failed for a passing reason is made again."""
    backoff: Seconds = 1.0
    """Seconds before the first retry; each further one waits about twice as long, a minute at most."""
    timeout: Seconds = 120.0
    """Seconds that a model has to answer."""
    give_up_after: Positive | None = 20
    """How many trials in a row in which a model gives no program end the run; it can be resumed. `None`: any number."""

    @property
    def slots(self) -> int:
        """The number of calls in flight that holds."""
        return self.concurrency or (1 if self.driver == "manual" else 4)

    @model_validator(mode="before")
    @classmethod
    def _one_model(cls, data: Any) -> Any:
        """`model: NAME` is short for a list of one."""
        if isinstance(data, Mapping) and "model" in data:
            if "models" in data:
                raise ValueError("give `model` or `models`, not both")
            rest = {key: value for key, value in data.items() if key != "model"}
            return {**rest, "models": [data["model"]]}
        return data

    @field_validator("models", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        return _named(value)

    @model_validator(mode="after")
    def _models_once(self) -> LlmSection:
        _once("model", (model.name for model in self.models))
        if self.models and not any(model.weight for model in self.models):
            raise ValueError("all models have the weight 0: leave one of them on")
        return self


class Novelty(Value):
    """When a candidate is so near an earlier one that it takes its evaluation."""

    duplicates: Literal["exact", "tokens"] = "tokens"
    """`exact`: equal files; `tokens`: equal but for formatting, comments and local names."""
    threshold: Annotated[float, Field(strict=True, gt=0, le=1)] = 1.0
    """Below 1: how alike two programs' tokens are, from 0 to 1, for the later to count as a duplicate of the earlier."""
    among: Positive = 100
    """With a looser threshold or an embedding: how many of the newest trials in view it is compared with, beside its
    parents."""
    embedding: EmbeddingSection | None = None

    @property
    def comparer(self) -> DriverSection | None:
        """The driver that reads programs; `None`: only equal files are duplicates."""
        reads = self.duplicates == "tokens" or self.threshold < 1
        return DriverSection(driver="tokens") if reads else None


class Budget(Value):
    """When a run stops. Stops cut a run, they never influence a trial."""

    trials: Annotated[int, Field(strict=True, ge=1, le=10**9)] | None = None
    generations: Positive | None = None
    seconds: Seconds | None = None
    """Wall time over all of the run's sessions."""
    dollars: Annotated[float, Field(strict=True, gt=0)] | None = None
    """Over all calls of all plugins, and what evaluations say they cost. Needs the prices of all models."""
    tokens: Positive | None = None
    """Prompts and answers together."""
    calls: Positive | None = None
    """Answers of models to all plugins, to calls that repair a candidate too."""
    target_score: Number | None = None
    plateau: Positive | None = None
    """Stop when so many commits in a row brought no better score."""
    island_plateau: Positive | None = None
    """Stop when so many commits in a row brought no island a better score than its own trials and the seeds had."""

    @model_validator(mode="after")
    def _some_stop(self) -> Budget:
        if all(getattr(self, name) is None for name in Budget.model_fields):
            names = ", ".join(Budget.model_fields)
            raise ValueError(f"a run needs a stop: set at least one of {names}")
        return self

    def trial_limit(self, seeds: int, *, generation_size: int) -> int | None:
        """Return how many trials the budget allows, seeds included; `None`: any number."""
        limits = []
        if self.trials is not None:
            limits.append(self.trials)
        if self.generations is not None:
            limits.append(seeds + self.generations * generation_size)
        return min(limits, default=None)


class Deadlines(Value):
    """Wall-clock guards around calls, far above what a sound call needs; expiry rejects the trial."""

    mutate: Seconds = 600.0
    evaluate: Seconds = 120.0
    final: Seconds = 1800.0
    """For the judgement of the best candidate after the search."""


class Pipeline(Value):
    """What a run is composed of."""

    name: Annotated[str, Field(pattern=NAMES, max_length=60)] = "run"
    """The first part of the names of its runs."""
    plugins: Annotated[tuple[PluginSection, ...], Field(min_length=1)]
    owners: FrozenDict[OwnedVerb, Name] = FrozenDict()
    """Who answers a verb that several plugins implement."""
    operators: FrozenDict[OperatorId, Weight] = FrozenDict()
    """Weights of operators; 1 where nothing is said, 0 switches one off."""
    tools: tuple[Name, ...] | None = None
    """The tools of the plugins that agents may use. Unset: all."""
    llm: LlmSection = LlmSection(driver="none")
    executor: DriverSection = DriverSection(driver="threads")
    sandbox: DriverSection = DriverSection(driver="auto")
    """Where plugins run programs that are not trusted."""
    store: DriverSection = DriverSection(driver="sqlite")
    budget: Budget = Budget(trials=200)
    deadlines: Deadlines = Deadlines()
    seed: Count = 0
    window: Annotated[int, Field(strict=True, ge=1, le=4096)] | None = None
    """How many trials are in flight at most. It shapes the search, so it never depends on the machine. Unset: 8, or with
    a live model twice the number of calls in flight."""
    order: Literal["trial", "arrival"] | None = None
    """`trial`: reproducible with any number of workers; `arrival`: never waits for the slowest. Unset: `trial` without a
    live model, `arrival` with one."""
    generation_size: Positive = 20
    """How many committed trials after the seeds make a generation."""
    repairs: Annotated[int, Field(strict=True, ge=0, le=10)] = 1
    """How often within a trial a rejected candidate goes back to an operator that can repair it."""
    novelty: Novelty = Novelty()
    kept_bytes: Count = 1_000_000
    """The most bytes that an evaluation may keep for the evaluations of its candidate's children."""

    @field_validator("plugins", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        return _named(value)

    @field_validator("llm", "executor", "sandbox", "store", mode="before")
    @classmethod
    def _usual_driver(cls, value: Any, info: ValidationInfo) -> Any:
        """A section that only has options is one of the usual driver; a name alone has no options."""
        if isinstance(value, str):
            return {"driver": value}
        usual = cls.model_fields[str(info.field_name)].default.driver
        return {"driver": usual, **value} if isinstance(value, Mapping) else value

    @model_validator(mode="after")
    def _names_once(self) -> Pipeline:
        _once("plugin", (section.name for section in self.plugins))
        return self

    @property
    def has_live_model(self) -> bool:
        """Whether answers come from somewhere that may answer otherwise the next time."""
        return self.llm.driver not in ("none", "replay")

    @property
    def in_flight(self) -> int:
        """The window that holds, chosen by the llm driver when nothing is said."""
        return self.window or (2 * self.llm.slots if self.has_live_model else 8)

    @property
    def commit_order(self) -> Literal["trial", "arrival"]:
        """The order that holds, chosen by the llm driver when nothing is said."""
        return self.order or ("arrival" if self.has_live_model else "trial")

    def to_data(self) -> dict[str, Any]:
        """Plain data, every default written out, that `pipeline_from` reads back equal."""
        data: dict[str, Any] = thaw(self.model_dump(by_alias=True))
        return data


def pipeline_from(data: Any, *, source: str) -> Pipeline:
    """Validates plain data as a pipeline.

    Raises:
        UserError: naming the source, the path of the key, and the nearest known key.
    """
    return validate(Pipeline, data, source=source, shape="a pipeline is a mapping with a list `plugins`")


def validate(model: type[Model], data: Any, *, source: str, shape: str) -> Model:
    """Validates plain data of a file.

    Args:
        model: of what the file holds.
        data: as it was read.
        source: the file.
        shape: what is said where the data are no mapping at all.

    Raises:
        UserError: naming the source, the path of the key, and the nearest known key.
    """
    if not isinstance(data, Mapping):
        raise UserError(f"{source}: {shape}, not {shape_of(data)}")
    try:
        return model.model_validate(dict(data))
    except ValidationError as err:
        raise UserError(f"{source}: {explain_validation(err, model)}") from err


def shape_of(data: Any) -> str:
    """What plain data are, in the words of YAML."""
    return _SHAPES.get(type(data), "something else")


def resolve_pipeline(data: Any, overrides: Iterable[str], *, source: str) -> Pipeline:
    """The pipeline with `a.b=c` overrides, which are validated like the file."""
    pipeline = pipeline_from(data, source=source)
    changes = tuple(overrides)
    return pipeline_from(with_overrides(pipeline.to_data(), changes), source="--set") if changes else pipeline


def read_yaml(path: Path) -> Any:
    """Reads a YAML file; a missing or malformed one, or a key given twice, is a UserError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not UTF-8 text"
        raise UserError(f"cannot read {str(path)!r}: {reason}") from err
    return parse_yaml(text, source=str(path))


def parse_yaml(text: str, *, source: str) -> Any:
    try:
        return _parsed(text)
    except (yaml.YAMLError, RecursionError) as err:
        mark = getattr(err, "problem_mark", None)
        place = f" line {mark.line + 1}" if mark else ""
        problem = getattr(err, "problem", None) or str(err).splitlines()[0]
        raise UserError(f"{source}:{place} is not valid YAML: {problem}") from err


def _parsed(text: str) -> Any:
    # libyaml is several times as fast, where PyYAML was built with it; what is wrong PyYAML itself says more clearly.
    if hasattr(yaml, "CSafeLoader") and _is_shallow(text):
        with suppress(yaml.YAMLError):
            return yaml.load(text, Loader=_FastLoader)  # noqa: S506 - a SafeLoader that also refuses double keys
    return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - likewise


def _is_shallow(text: str) -> bool:
    """Whether a text cannot be nested so deeply that the parser in C, which recurses, runs out of its stack."""
    indented = max(map(len, text.splitlines()), default=0)
    return text.count("[") + text.count("{") + indented < MOST_NESTED


class _WithoutDoubleKeys(yaml.constructor.SafeConstructor):
    """A key given twice is an error: plain YAML would silently drop the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        seen = set()
        for key_node, _ in node.value:
            key = key_node.value
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, "a key is text", key_node.start_mark)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


class _StrictLoader(_WithoutDoubleKeys, yaml.SafeLoader):
    """Wholly in Python."""


class _FastLoader(_WithoutDoubleKeys, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Its parser in C, where there is one."""


def with_overrides(data: Mapping[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """Applies `a.b=c` assignments to pipeline data; a part of the path under `plugins` is a plugin's name.

    Values are YAML: `--set budget.trials=600`, `--set plugins.islands.with.elites=16`.
    """
    result: dict[str, Any] = thaw(data)
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not path.strip():
            raise UserError(f"--set {assignment!r}: write it as KEY=VALUE, such as budget.trials=600")
        _assign(result, path.strip().split("."), parse_yaml(text, source=f"--set {path}"), assignment)
    return result


def _assign(data: dict[str, Any], path: list[str], value: Any, assignment: str) -> None:
    # Operators' ids hold a dot of their own.
    if path[0] == "operators" and len(path) > 1:
        path = ["operators", ".".join(path[1:])]
    if path == ["llm", "model"]:
        path, value = ["llm", "models"], [value]
    place: Any = data
    for part in path[:-1]:
        place = _step(place, part, assignment)
    if not isinstance(place, dict):
        raise UserError(f"--set {assignment!r}: {path[-2]!r} has no keys")
    place[path[-1]] = value


def _step(place: Any, part: str, assignment: str) -> Any:
    if isinstance(place, list):
        place[:] = [{"name": item} if isinstance(item, str) else item for item in place]
        names = [item.get("name") for item in place if isinstance(item, dict)]
        if part in names:
            return place[names.index(part)]
        raise UserError(
            f"--set {assignment!r}: no plugin {part!r} in the pipeline; {did_you_mean(part, map(str, names))}"
        )
    if not isinstance(place, dict):
        raise UserError(f"--set {assignment!r}: there is nothing below {part!r}")
    if place.get(part) is None:
        place[part] = {}
    return place[part]


_SHAPES = {
    type(None): "an empty file",
    dict: "a mapping",
    list: "a list",
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
}
_PATTERNS = {
    NAMES: "should be letters, digits, `-` and `_`, a letter or digit first",
    r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$": "should be the id of an operator, such as operators.diff",
}
"""What texts have to look like, in words."""

_WORDING = {
    "missing": "is missing",
    "tuple_type": "should be a list",
    "list_type": "should be a list",
    "dict_type": "should be a mapping",
    "mapping_type": "should be a mapping",
    "model_type": "should be a mapping",
    "model_attributes_type": "should be a mapping",
    "string_type": "should be text",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "bool_type": "should be true or false",
    "finite_number": "should be a finite number",
}
"""What is wrong, in the words of YAML rather than of Python."""


def explain_validation(err: ValidationError, model: type[BaseModel], *, beside: Iterable[str] = ()) -> str:
    """One line for the first error of a validation: the key's path, what is wrong, and the nearest known key.

    Args:
        err: of the validation.
        model: that was validated.
        beside: keys that stand beside those of the model.
    """
    # A misspelt key is why its right spelling is missing.
    first = min(err.errors(), key=lambda each: each["type"] != "extra_forbidden")
    path = ".".join(str(part) for part in first["loc"] if part != "[key]")
    more = f" (and {err.error_count() - 1} more)" if err.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        known = _keys_at(model, first["loc"][:-1]) | (set(beside) if len(first["loc"]) == 1 else set())
        return f"unknown key {path!r}; {did_you_mean(str(first['loc'][-1]), known)}{more}"
    pattern = first.get("ctx", {}).get("pattern")
    message = _PATTERNS.get(str(pattern)) or _WORDING.get(first["type"]) or first["msg"].removeprefix("Value error, ")
    message = re.sub(r"^(Input|String) should", "should", message)
    given = "" if first["type"] in ("missing", "value_error") else f", not {first['input']!r}"
    hint = _hint_on_number(first["input"]) if first["type"] == "float_type" else ""
    return f"{path + ': ' if path else ''}{message}{given}{hint}{more}"


def _hint_on_number(given: Any) -> str:
    """YAML 1.1, which is what PyYAML reads, takes `1e-9` for text."""
    try:
        number = float(given) if isinstance(given, str) else math.nan
    except ValueError:
        return ""
    return f"; YAML takes that for text, write {yaml.safe_dump(number).split()[0]}" if math.isfinite(number) else ""


def _keys_at(model: type[BaseModel], path: tuple[int | str, ...]) -> set[str]:
    """The keys that the model below a path knows; indices pass through to the items' model."""
    here: type[BaseModel] | None = model
    for part in path:
        if here is not None and isinstance(part, str):
            field = here.model_fields.get(part)
            here = _model_in(field.annotation) if field else None
    return {field.alias or name for name, field in here.model_fields.items()} if here else set()


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in inner if model is not None), None)

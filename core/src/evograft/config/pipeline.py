"""The pipeline: what a run is composed of, checked to the last key, and printable as it was resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from evograft.config.generations import Generations
from evograft_hookspecs.drivers.llm import Price
from evograft_hookspecs.types import OperatorId
from evograft_hookspecs.values import Count, FrozenDict, Json, Name, Number, Value, thaw

NAMES = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
"""What the names of pipelines look like."""

OwnedVerb = Literal["analyze", "select", "evaluate"]
Positive = Annotated[int, Field(strict=True, ge=1)]
Seconds = Annotated[float, Field(strict=True, gt=0)]
Weight = Annotated[float, Field(strict=True, ge=0)]


def _named(value: Any) -> Any:
    """Write out a list whose bare names are short for sections with a name."""
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


class StrongModels(Value):
    """When strong models are asked instead of cheap ones."""

    operators: tuple[Name, ...] = ("fresh", "crossover")
    """Operators whose trials ask a strong model: with their plugin (`operators.fresh`), or of any plugin (`fresh`)."""
    plateau: Positive | None = 20
    """Commits without a new best score after which a strong model is asked whatever the operator, and again each time
    when as many more have passed. `None`: never."""
    burst: Positive = 2
    """For how many commits it is asked each time."""
    share: Annotated[float, Field(strict=True, gt=0, le=1)] = 1.0
    """The most of the dollars that strong models get: beyond, a cheap one is asked. 1: no limit."""


class ModelSection(Value):
    """A model that may be asked."""

    name: Name
    weight: Weight = 1.0
    """How often it is drawn, compared with the others."""
    tier: Literal["cheap", "strong"] | None = None
    """With `choice: tiers`: what it is asked for; filled in by price when a run starts, where no model says it."""
    price: Price | None = None
    """Dollars per million tokens; filled in when a run starts, where the driver knows it. `None`: unknown."""
    optional: bool = False
    """Whether the run continues without its answers: a call that it cannot answer is refused, and nothing else ends."""


class LlmSection(DriverSection):
    """How models are asked; every key that is not here is an option of the driver."""

    models: tuple[ModelSection, ...] = ()
    choice: Literal["weights", "bandit", "tiers"] = "weights"
    """How the model of a trial is drawn: by weight, also by how much it improved for its cost, or by its tier."""
    strong: StrongModels = StrongModels()
    """With `choice: tiers`: when strong models are asked."""
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
    def is_tiered_by_price(self) -> bool:
        """Return whether tiers are still to follow from prices: several models, and none says its tier."""
        on = [model for model in self.models if model.weight]
        return self.choice == "tiers" and len(on) > 1 and not any(model.tier for model in self.models)

    @property
    def slots(self) -> int:
        """Return the number of calls in flight that holds."""
        return self.concurrency or (1 if self.driver == "manual" else 4)

    @model_validator(mode="before")
    @classmethod
    def _one_model(cls, data: Any) -> Any:
        """Write out `model: NAME`, which is short for a list of one."""
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

    @model_validator(mode="after")
    def _tiers_have_models(self) -> LlmSection:
        tiers = {model.tier for model in self.models if model.weight}
        if self.choice == "tiers" and tiers != {"cheap", "strong"} and not self.is_tiered_by_price:
            raise ValueError(
                "choice: tiers needs models of both tiers: give each `tier: cheap` or `tier: strong`; of several "
                "without it the most expensive is strong"
            )
        if self.choice != "tiers" and tiers - {None}:
            raise ValueError("`tier` of a model is read with `choice: tiers` only")
        return self


class Novelty(Value):
    """When a candidate is so near an earlier one that it takes its evaluation."""

    duplicates: Literal["exact", "tokens"] = "tokens"
    """`exact`: equal files; `tokens`: equal but for formatting, comments and local names."""
    threshold: Annotated[float, Field(strict=True, gt=0, le=1)] = 1.0
    """Below 1: how alike two programs' tokens are, from 0 to 1, for the later one to count as a duplicate."""
    among: Positive = 100
    """With a looser threshold or an embedding: how many of the newest trials in view it is compared with, beside its
    parents."""
    embedding: EmbeddingSection | None = None

    @property
    def comparer(self) -> DriverSection | None:
        """Return the driver that reads programs; `None`: only equal files are duplicates."""
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
    evaluations: Positive | None = None
    """Evaluations of candidates: one for each trial that is no duplicate, and those that operators asked for before."""
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
            limits.append(Generations(seeds, generation_size).start_of(self.generations + 1))
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
    window: Annotated[int, Field(strict=True, ge=1, le=100_000)] | None = None
    """How many trials are in flight at most. It shapes the search, so it never depends on the machine. Unset: 8, or
    with a live model twice the number of calls in flight."""
    starts: Positive | None = None
    """How many trials are in flight at most until the first one is committed, so that all others may have a parent.
    Unset: as many as the window holds. Of no effect where there are seed programs, which come first."""
    order: Literal["trial", "arrival"] | None = None
    """`trial`: reproducible with any number of workers; `arrival`: never waits for the slowest. Unset: `trial` without
    a live model, `arrival` with one."""
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
        """Complete a section that only has options with the usual driver; a name alone has no options."""
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
        """Return whether answers come from somewhere that may answer otherwise the next time."""
        return self.llm.driver not in ("none", "replay")

    @property
    def in_flight(self) -> int:
        """Return the window that holds, chosen by the llm driver when nothing is said."""
        return self.window or (2 * self.llm.slots if self.has_live_model else 8)

    def get_windows(self, first_trial: int) -> tuple[tuple[int, int], ...]:
        """Return pairs of a trial and the window from there on, beginning with a given trial."""
        if first_trial or self.starts is None or self.starts >= self.in_flight:
            return ((first_trial, self.in_flight),)
        # The trial after the starts sees a commit, and those after it no less.
        return ((0, self.starts), (self.starts + 1, self.in_flight))

    @property
    def commit_order(self) -> Literal["trial", "arrival"]:
        """Return the order that holds, chosen by the llm driver when nothing is said."""
        return self.order or ("arrival" if self.has_live_model else "trial")

    def to_data(self) -> dict[str, Any]:
        """Return plain data, every default written out, that `pipeline_from` reads back equal."""
        data: dict[str, Any] = thaw(self.model_dump(by_alias=True))
        return data

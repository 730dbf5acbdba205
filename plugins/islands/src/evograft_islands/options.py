"""The plugin's `with:` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from evograft_hookspecs import NoOptions

PositiveInt = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

BaselineName = Literal["best_of_n", "sequential"]

PARENTS = {"combine": 2, "novel": 0}
"""Parents that a strategy asks for; every other one works on a single parent."""


class IslandOptions(NoOptions):
    """One island, as its trials will see it."""

    name: Annotated[str, Field(min_length=1)]
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    strategy: str = "refine"
    """A word that operators follow: `refine`, `combine`, `novel`, or any other that yours know."""
    parents: Annotated[int, Field(ge=0)] | None = None
    """Parents per trial. `None`: by the strategy, `combine` two, `novel` none, any other one."""

    @property
    def parent_count(self) -> int:
        return PARENTS.get(self.strategy, 1) if self.parents is None else self.parents


class ArchiveOptions(NoOptions):
    """The grid of a MAP-Elites archive."""

    axes: Annotated[dict[str, tuple[Finite, Finite]], Field(min_length=1)]
    """Name of a descriptor, as the evaluation gives it, to the range that is cut into bins."""
    bins: PositiveInt = 10
    """Bins per axis."""

    @field_validator("axes")
    @classmethod
    def _ranges_are_not_empty(cls, axes: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        for name, (low, high) in axes.items():
            if not low < high:
                raise ValueError(f"axis {name!r} needs a lower and a higher end, not [{low}, {high}]")
        return axes


DEFAULT_ISLANDS = (
    IslandOptions(name="refine", temperature=0.3, strategy="refine"),
    IslandOptions(name="combine", temperature=0.3, strategy="combine"),
    IslandOptions(name="balance", temperature=0.8, strategy="refine"),
    IslandOptions(name="novel", temperature=1.2, strategy="novel"),
)


class IslandsOptions(NoOptions):
    """The population: islands, migration, an archive, or a baseline instead."""

    islands: Annotated[tuple[IslandOptions, ...], Field(min_length=1)] = DEFAULT_ISLANDS
    """Trial n belongs to island n modulo their number."""
    elites: PositiveInt = 8
    """The most an island holds."""
    distinct_scores: bool = False
    """Whether an island keeps one candidate per score: against crowds of formulas that differ only in writing."""
    tournament: PositiveInt = 2
    """A parent is the best of this many random elites: 1 is no pressure, more is greedier."""
    migration_every: Annotated[int, Field(ge=0)] = 10
    """Generations between two migrations; 0: never."""
    migrants: PositiveInt = 1
    """How many of its best each island sends to the next one."""
    incumbent: Literal["worst", "best", "parent", "none"] = "worst"
    """What racing evaluators may give up against: the worst or the best elite of an island that is full, the first
    parent, or nothing. An archive fares better with `none`: its empty cells welcome low scores too."""
    when_empty: Literal["fresh", "borrow"] = "fresh"
    """Where an island without elites starts: from nothing, or from parents of the next island that has some."""
    archive: ArchiveOptions | None = None
    """A MAP-Elites archive in addition to the islands."""
    archive_share: Share = 0.0
    """The share of selections whose parents come from the archive instead of the island."""
    baseline: BaselineName | None = None
    """Searches without a population, to see what the islands are worth: `best_of_n` starts every trial from the best
    seed program, `sequential` is a hill climber's chain."""

    @property
    def place(self) -> IslandOptions:
        """What all trials of a baseline have: the one island that was given, or a plain one."""
        return self.islands[0] if "islands" in self.model_fields_set else IslandOptions(name=self.baseline or "none")

    @model_validator(mode="before")
    @classmethod
    def _read_the_name_of_contract_1(cls, data: object) -> object:
        """Read `bar`, as pipelines and runs of contract 1 call the option `incumbent`."""
        if not isinstance(data, Mapping) or "bar" not in data or "incumbent" in data:
            return data
        return {("incumbent" if key == "bar" else key): value for key, value in data.items()}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [island.name for island in self.islands]
        if len(set(names)) < len(names):
            raise ValueError(f"islands need different names, not {', '.join(names)}")
        if self.archive_share and self.archive is None:
            raise ValueError("archive_share draws from an archive: set `archive: {axes: {…}}` too")
        return self

    @model_validator(mode="after")
    def _a_baseline_has_no_population(self) -> Self:
        if self.baseline is None:
            return self
        meaningful = {"baseline", "islands"} | ({"incumbent"} if self.incumbent == "none" else set())
        senseless = sorted(self.model_fields_set - meaningful)
        if senseless:
            raise ValueError(
                f"baseline {self.baseline!r} keeps no population, leave out {', '.join(senseless)}; "
                "--set plugins.islands.with={} in front empties the section"
            )
        if "islands" in self.model_fields_set and (len(self.islands) > 1 or self.islands[0].parents is not None):
            raise ValueError(
                f"baseline {self.baseline!r} takes one island, for temperature and strategy, and chooses parents itself"
            )
        return self

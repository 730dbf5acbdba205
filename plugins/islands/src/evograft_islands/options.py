"""The plugin's `with:` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from evograft_hookspecs import NoOptions

PositiveInt = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

SearchName = Literal["islands", "archive", "pareto", "best_of_n", "sequential"]

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
    """The cells of a MAP-Elites archive: a grid, or a number of them around centroids."""

    axes: Annotated[dict[str, tuple[Finite, Finite]], Field(default_factory=dict)]
    """Name of a descriptor, as the evaluation gives it, to its range. With `cells` it may be empty: all descriptors
    count, over the ranges that candidates have, or what can be said of the structure of a program that has none."""
    bins: PositiveInt = 10
    """Bins per axis."""
    cells: Annotated[int, Field(ge=2)] | None = None
    """In place of a grid: this number of cells, around centroids that come from the run's own candidates
    (CVT-MAP-Elites)."""

    @field_validator("axes")
    @classmethod
    def _ranges_are_not_empty(cls, axes: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        for name, (low, high) in axes.items():
            if not low < high:
                raise ValueError(f"axis {name!r} needs a lower and a higher end, not [{low}, {high}]")
        return axes

    @model_validator(mode="after")
    def _is_a_grid_or_has_cells(self) -> Self:
        if self.cells is None and not self.axes:
            raise ValueError("a grid needs its `axes`; leave them out with `cells` only")
        if self.cells is not None and "bins" in self.model_fields_set:
            raise ValueError("`bins` cut the axes of a grid: leave them out, or `cells`")
        return self


class ParetoOptions(NoOptions):
    """The front that parents come from."""

    by: Literal["objectives", "cases"] = "objectives"
    """`objectives`: NSGA-II's ranks and crowding over `Evaluation.objectives`; `cases`: as in GEPA, the best of each of
    `Evaluation.cases`. Where an evaluation has none, its score stands for them."""
    objectives: tuple[str, ...] = ()
    """Those that count; empty: all."""
    elites: PositiveInt = 40
    """The most that are kept; with `cases`, of one case."""


class MemberOptions(NoOptions):
    """A search that takes part in a composed one."""

    search: SearchName
    name: str = ""
    """What its trials are called; empty: as the search."""
    share: Positive = 1.0
    """How many trials it gets, compared with the others; with `by: bandit`, how much it is preferred beforehand."""
    trials: PositiveInt = 20
    """With `by: schedule`: how many it gets in a row, before it is the next one's turn."""
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    """Of its trials; islands have their own."""
    strategy: str = "refine"
    """The word that operators follow; islands have their own."""
    parents: Annotated[int, Field(ge=0)] | None = None
    """Of each trial of an archive or a front. `None`: by the strategy."""

    @property
    def title(self) -> str:
        return self.name or self.search

    @property
    def place(self) -> IslandOptions:
        """What its trials have, where it has no islands."""
        return IslandOptions(
            name=self.title, temperature=self.temperature, strategy=self.strategy, parents=self.parents
        )

    @model_validator(mode="before")
    @classmethod
    def _a_name_is_a_search(cls, data: Any) -> Any:
        return {"search": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _islands_have_their_own(self) -> Self:
        own = sorted(self.model_fields_set & {"temperature", "strategy", "parents"})
        if self.search == "islands" and own:
            raise ValueError(f"member {self.title!r}: set {', '.join(own)} in the option `islands`, for each of them")
        if self.search in ("best_of_n", "sequential") and self.parents is not None:
            raise ValueError(f"member {self.title!r} chooses parents itself: leave out `parents`")
        return self


class CompositionOptions(NoOptions):
    """How a composed search divides the trials of a run."""

    members: Annotated[tuple[MemberOptions, ...], Field(min_length=1)] = (
        MemberOptions(search="islands"),
        MemberOptions(search="sequential"),
        MemberOptions(search="best_of_n"),
    )
    """The searches that take part, each told of all trials; a name is short for a mapping with `search`."""
    by: Literal["turns", "share", "schedule", "bandit"] = "turns"
    """Who gets the next trial, among those that have not stalled: `turns`: the first member until it stalls, then the
    next one; `share`: each as often as its share says; `schedule`: each in turn for its number of trials; `bandit`: the
    one that is likely to improve the best score most for its money."""
    stalled_after: Annotated[int, Field(ge=0)] = 20
    """A member has stalled after this number of its own trials without a new best; it gets no more until all have;
    0: never."""
    memory: Annotated[int, Field(ge=2)] = 100
    """With `by: bandit`: commits after which a trial counts only about a third as much as a new one."""

    @model_validator(mode="after")
    def _members_differ_and_end(self) -> Self:
        titles = [member.title for member in self.members]
        if len(set(titles)) < len(titles):
            raise ValueError(f"members need different names, not {', '.join(titles)}: set `name`")
        if sum(member.search == "islands" for member in self.members) > 1:
            raise ValueError("the islands take part once: their options are those of the whole section")
        if self.by == "turns" and not self.stalled_after:
            raise ValueError("members take turns when they stall: set `stalled_after`, or another `by`")
        return self


DEFAULT_ISLANDS = (
    IslandOptions(name="refine", temperature=0.3, strategy="refine"),
    IslandOptions(name="combine", temperature=0.3, strategy="combine"),
    IslandOptions(name="balance", temperature=0.8, strategy="refine"),
    IslandOptions(name="novel", temperature=1.2, strategy="novel"),
)


EARLIER_NAMES = {"bar": "incumbent", "baseline": "search"}

READ_BY: dict[str, frozenset[str]] = {
    "islands": frozenset(
        {"islands", "elites", "distinct_scores", "tournament", "migration_every", "migrants", "incumbent", "when_empty"}
        | {"seeds", "archive", "archive_share"}
    ),
    "archive": frozenset({"archive"}),
    "pareto": frozenset({"pareto"}),
    "best_of_n": frozenset(),
    "sequential": frozenset(),
}
"""Which options each search reads, but for the place of its trials."""


class IslandsOptions(NoOptions):
    """Searches: islands with migration, an archive, a front, a single program, or several of them together."""

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
    incumbent: Literal["worst", "best", "overall", "parent", "none"] = "worst"
    """What racing evaluators may give up against: the worst or the best elite of an island that is full, the first
    parent, or nothing. An archive fares better with `none`: its empty cells welcome low scores too. `overall`, the best
    elite of all islands, is for evaluators that confirm a new best before it counts."""
    when_empty: Literal["fresh", "borrow"] = "fresh"
    """Where an island without elites starts: from nothing, or from parents of the next island that has some."""
    seeds: Literal["parents", "fallback"] = "parents"
    """Whether an island that has nothing but seed programs starts from them, or only where no other island has more."""
    archive: ArchiveOptions | None = None
    """A MAP-Elites archive in addition to the islands."""
    archive_share: Share = 0.0
    """The share of selections whose parents come from the archive instead of the island."""
    pareto: ParetoOptions = ParetoOptions()
    """What the search `pareto` goes by."""
    search: SearchName | Literal["composed"] = "islands"
    """Who chooses parents: the islands, the archive alone, a front, or a search without a population to see what it is
    worth (`best_of_n` starts every trial from the best seed program, `sequential` is a hill climber's chain);
    `composed`: several of them together."""
    composed: CompositionOptions = CompositionOptions()
    """The members of a composed search."""

    @property
    def place(self) -> IslandOptions:
        """What all trials of a search without islands have: the one island that was given, or a plain one."""
        return self.islands[0] if "islands" in self.model_fields_set else IslandOptions(name=self.search)

    @model_validator(mode="before")
    @classmethod
    def _read_earlier_names(cls, data: object) -> object:
        """Read `bar`, as `incumbent` was called under contract 1, and `baseline`, as `search` was called after that.

        Of two names the later one holds, as of all settings: `--set` writes behind what a preset says.
        """
        if not isinstance(data, Mapping):
            return data
        return {
            EARLIER_NAMES.get(key, key): value
            for key, value in data.items()
            if not (key == "baseline" and value is None)
        }

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [island.name for island in self.islands]
        if len(set(names)) < len(names):
            raise ValueError(f"islands need different names, not {', '.join(names)}")
        if self.archive_share and self.archive is None:
            raise ValueError(
                "archive_share draws from an archive: set `archive: {cells: 50}` or `archive: {axes: {…}}` too"
            )
        if "archive" in self.searches and self.archive is None:
            raise ValueError("search 'archive' needs one: set `archive: {cells: 50}` or `archive: {axes: {…}}` too")
        return self

    @property
    def searches(self) -> frozenset[str]:
        """Return the searches that choose parents."""
        if self.search == "composed":
            return frozenset(member.search for member in self.composed.members)
        return frozenset({self.search})

    @model_validator(mode="after")
    def _every_option_is_read(self) -> Self:
        read = {"search"}.union(*(READ_BY[search] for search in self.searches))
        read |= {"composed"} if self.search == "composed" else {"islands"}
        read |= {"incumbent"} if self.incumbent == "none" else set()
        senseless = sorted(self.model_fields_set - read)
        if senseless:
            raise ValueError(
                f"search {self.search!r} has no use for {', '.join(senseless)}: leave them out; "
                "--set plugins.islands.with={} in front empties the section"
            )
        return self

    @model_validator(mode="after")
    def _a_search_without_islands_has_one_place(self) -> Self:
        if self.search in ("islands", "composed") or "islands" not in self.model_fields_set:
            return self
        chooses_itself = self.search in ("best_of_n", "sequential") and self.islands[0].parents is not None
        if len(self.islands) > 1 or chooses_itself:
            raise ValueError(
                f"search {self.search!r} takes one island, for temperature and strategy"
                + (", and chooses parents itself" if chooses_itself else "")
            )
        return self

"""The plugin's `graphs:` section: graphs of the user's instead of random ones."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from evograft_hookspecs import FrozenDict, NoOptions

Share = Annotated[float, Field(gt=0, lt=1)]


class Range(NoOptions):
    """Numbers to draw from, ends included: whole ones if both ends are."""

    low: int | float
    high: int | float

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low is at most high, not {self.low} and {self.high}")
        return self


class GeneratorOptions(NoOptions):
    """Graphs that a function of networkx makes."""

    name: Annotated[str, Field(pattern=r"^[a-z]\w*$")]
    """Such as `barabasi_albert_graph`."""
    parameters: FrozenDict[str, bool | int | float | Range] = FrozenDict()
    """Its arguments by name; `{low: 30, high: 60}` draws one for each graph. A `seed` is given where there is one."""
    count: Annotated[int, Field(ge=1)] = 1


class GraphOptions(NoOptions):
    """Where the graphs come from, and how they are split."""

    files: tuple[str, ...] = ()
    """Files and folders: graph6, sparse6, GraphML, GML, lists of edges."""
    generators: tuple[GeneratorOptions, ...] = ()
    table: str | None = None
    """A CSV file with a header: the graphs' names in the first column, quantities and splits in others."""
    split: str | None = None
    """The column of the table that says `train`, `validation` or `test`; without it the split is random."""
    shares: tuple[Share, Share, Share] = (0.2, 0.4, 0.4)
    """Of training, validation and test graphs in a random split."""
    largest_component: bool = False
    """Whether a disconnected graph stands for its largest component instead of being an error."""

    @model_validator(mode="after")
    def _has_graphs(self) -> Self:
        if not self.files and not self.generators:
            raise ValueError("graphs names neither files nor generators")
        if self.split is not None and self.table is None:
            raise ValueError(f"graphs.split is {self.split!r}, a column of graphs.table, which is missing")
        if abs(sum(self.shares) - 1) > 1e-9:  # noqa: PLR2004 - rounding
            raise ValueError(f"graphs.shares add up to {sum(self.shares):g} instead of 1")
        return self

"""The differences between prediction and truth, by family of graphs."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from evograft.text.escapes import sanitize
from evograft_graph_invariant.records.summary.model import GraphValues

MOST_FAMILIES = 6
"""Sets with more are of single graphs with names; together they are one family without a name."""
LARGEST = 1e100
"""Squares of larger residuals are not floats."""


@dataclass(frozen=True)
class Graph:
    """A graph that the formula has a value for."""

    family: str
    """Its generator; empty where every graph has a name of its own."""
    true: float
    predicted: float

    @property
    def residual(self) -> float:
        return max(-LARGEST, min(LARGEST, self.predicted - self.true))


@dataclass(frozen=True)
class Predictions:
    """The graphs of a set that the formula has a value for."""

    families: tuple[str, ...]
    """In the order in which the set has them, whether they are answered or not."""
    graphs: tuple[Graph, ...]


@dataclass(frozen=True)
class Spread:
    """The residuals of a family."""

    family: str
    graphs: int
    """With a value."""
    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    rmse: float


def predictions_of(values: GraphValues) -> Predictions | None:
    """`None` where truth or prediction was not recorded, or the formula has no value on any graph."""
    names = tuple(sanitize(name, 40) for name in values.families) or ("",) * len(values.true)
    kinds = tuple(dict.fromkeys(names))
    families = names if len(kinds) <= MOST_FAMILIES else ("",) * len(names)
    graphs = tuple(
        Graph(family, true, predicted)
        for family, true, predicted in zip(families, values.true, values.predicted, strict=False)
        if predicted is not None
    )
    return Predictions(tuple(dict.fromkeys(families)), graphs) if graphs else None


def spreads_of(found: Predictions) -> tuple[Spread, ...]:
    """Of the families with a value on any graph."""
    residuals = {
        family: [graph.residual for graph in found.graphs if graph.family == family] for family in found.families
    }
    return tuple(_spread(family, each) for family, each in residuals.items() if each)


def _spread(family: str, residuals: list[float]) -> Spread:
    quarters = statistics.quantiles(residuals, n=4, method="inclusive") if len(residuals) > 1 else residuals * 3
    return Spread(
        family=family,
        graphs=len(residuals),
        low=min(residuals),
        quarter=quarters[0],
        median=quarters[1],
        three_quarters=quarters[2],
        high=max(residuals),
        rmse=math.sqrt(statistics.fmean(residual * residual for residual in residuals)),
    )

"""Feature tables: columns and target of graphs, those of the search prepared for scoring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.graphs.datasets import GraphSet, SetSpec, load_distances, load_quantity, load_set
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.graphs.quantities import Quantity
from evograft_graph_invariant.graphs.targets import Target
from evograft_graph_invariant.scoring.calibration import list_shapes
from evograft_graph_invariant.scoring.correlation import (
    Matrix,
    center,
    clip_correlation,
    find_strongest,
    rank_profile,
    rank_profiles,
)
from evograft_graph_invariant.scoring.grouped_ranks import Numbers, RankGroups
from evograft_graph_invariant.scoring.novelty import NoveltyScorer

SLICES = 5
"""The number of slices that a quantity cuts the graphs into; there are as many kinds of graph."""

SLICED_BY = ("n", "density")


@dataclass(frozen=True)
class FeatureTable:
    """One data set, or several joined, as rows of numbers: one entry a graph in each vector."""

    count: int
    columns: dict[str, Vector]
    """The columns that candidates may use."""
    target: Vector
    hidden: dict[str, Vector]
    """Everything else that is known of the graphs: for checks and judgement only."""
    kinds: npt.NDArray[np.str_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> FeatureTable:
        """Return the rows of the chosen graphs."""
        return FeatureTable(
            count=int(chosen.sum()),
            columns={name: values[chosen] for name, values in self.columns.items()},
            target=self.target[chosen],
            hidden={name: values[chosen] for name, values in self.hidden.items()},
            kinds=self.kinds[chosen],
        )


def load_table(
    spec: SetSpec,
    master_seed: int,
    target: Target,
    allowed: tuple[str, ...],
    folder: Path | None,
    quantities: Sequence[Quantity] = (),
) -> FeatureTable:
    """Load the table of a data set, with further quantities next to columns and distances."""
    graphs = load_set(spec, master_seed, folder=folder)
    known = load_distances(spec, master_seed, graphs, folder=folder)
    for each in quantities:
        known[each.name] = load_quantity(each, spec, master_seed, graphs, folder=folder)
    return build_table(graphs, known, target, allowed)


def build_table(
    graphs: GraphSet, distances: dict[str, Vector], target: Target, allowed: tuple[str, ...]
) -> FeatureTable:
    known = {**graphs.columns, **distances}
    return FeatureTable(
        count=len(graphs),
        columns={name: known[name] for name in allowed},
        target=known[target.name],
        hidden={name: values for name, values in known.items() if name not in allowed},
        kinds=np.array(graphs.kinds),
    )


def join_tables(first: FeatureTable, second: FeatureTable) -> FeatureTable:
    return FeatureTable(
        count=first.count + second.count,
        columns=_join(first.columns, second.columns),
        target=np.concatenate([first.target, second.target]),
        hidden=_join(first.hidden, second.hidden),
        kinds=np.concatenate([first.kinds, second.kinds]),
    )


def _join(first: dict[str, Vector], second: dict[str, Vector]) -> dict[str, Vector]:
    return {name: np.concatenate([values, second[name]]) for name, values in first.items()}


def get_quantities(table: FeatureTable, names: tuple[str, ...]) -> dict[str, Vector]:
    """Return the named quantities, whether candidates may use them or not."""
    return {name: table.columns[name] if name in table.columns else table.hidden[name] for name in names}


class RankProfiles(NamedTuple):
    """Rank profiles of values on all graphs."""

    train: Vector
    validation: Vector
    slices: Matrix


class SearchTable:
    """Training graphs first, then validation graphs, with everything ranked that does not depend on a candidate."""

    def __init__(
        self,
        train: FeatureTable,
        validation: FeatureTable,
        references: tuple[str, ...],
        *,
        novelty_given_target: bool = False,
    ) -> None:
        self.train = train
        self.validation = validation
        self.all = join_tables(train, validation)
        self.train_profile = rank_profile(train.target)
        self.validation_profile = rank_profile(validation.target)
        given = validation.target if novelty_given_target else None
        self.novelty = NoveltyScorer(get_quantities(validation, references), given=given)
        self.shape_profiles = np.stack(
            [center(shape.of_target(self.all.target)) for shape in list_shapes(self.all.target)]
        )
        count = self.all.count
        cuts = _cuts(self.all)
        self.slice_names = _name_slices(self.all, cuts)
        self.slice_profiles = rank_profiles(self.all.target[np.concatenate(cuts)])
        self._groups = RankGroups([np.split(np.arange(count), [train.count]), *map(list, cuts)], count)
        self._slice_places = np.concatenate([slices + layer * count for layer, slices in enumerate(cuts, start=1)])

    def rank(self, values: Vector) -> RankProfiles:
        profiles = self._groups.profiles(values)
        split = self.train.count
        return RankProfiles(profiles[:split], profiles[split : self.all.count], profiles.take(self._slice_places))

    def train_correlation(self, profile: Vector) -> float:
        return clip_correlation(float(profile.dot(self.train_profile)))

    def linearity(self, values: Vector) -> float:
        """Return the largest |Pearson r|, on all graphs, of values or their logarithms with a function of the target.

        Ranks forgive a formula that is about to blow up at the edge of the data; a straight line does not. With the
        logarithms every power of a formula is as straight as the formula, which need not spend nodes on being one.
        """
        straight = find_strongest(self.shape_profiles.dot(center(values)))
        if np.minimum.reduce(values) > 0 or np.maximum.reduce(values) < 0:
            straight = max(straight, find_strongest(self.shape_profiles.dot(center(np.log(np.abs(values))))))
        return min(1.0, straight)

    def linearities(self, rows: Matrix) -> Vector:
        """Return the linearity of each row."""
        straight = self._straightest(rows)
        one_sign = (rows.min(axis=1) > 0) | (rows.max(axis=1) < 0)
        if one_sign.any():
            logarithms = np.log(np.abs(rows[one_sign]))
            straight[one_sign] = np.maximum(straight[one_sign], self._straightest(logarithms))
        return np.minimum(1.0, straight)

    def _straightest(self, rows: Matrix) -> Vector:
        found: Vector = np.abs(center(rows) @ self.shape_profiles.T).max(axis=1)
        return found

    def slice_correlations(self, profiles: Matrix) -> list[float]:
        """ρ within each slice: the kinds of graph, and the graphs of similar size and of similar density."""
        correlations: list[float] = np.add.reduce(profiles * self.slice_profiles, axis=1).tolist()
        return correlations


def _cuts(table: FeatureTable) -> list[Numbers]:
    """Return the graphs by kind, size and density: one row of graph numbers for each slice, all equally long."""
    length = table.count // SLICES
    kinds = [np.flatnonzero(table.kinds == kind)[:length] for kind in dict.fromkeys(table.kinds.tolist())]
    if len(kinds) == 1 or min(map(len, kinds)) < length:  # the user's graphs: one kind, or unequal shares
        kinds = []
    orders = [values.argsort(kind="stable") for values in get_quantities(table, SLICED_BY).values()]
    cuts = [
        *([kinds] if kinds else []),
        *([order[i * length : (i + 1) * length] for i in range(SLICES)] for order in orders),
    ]
    shortest = min(len(members) for slices in cuts for members in slices)
    return [np.stack([members[:shortest] for members in slices]) for slices in cuts]


def _name_slices(table: FeatureTable, cuts: Sequence[Numbers]) -> list[str]:
    """Return what tells the graphs of each slice from the others, for people and models."""
    kinds = [str(table.kinds[members[0]]) for members in cuts[0]] if len(cuts) > len(SLICED_BY) else []
    return kinds + [f"fifth {place} by {name}" for name in SLICED_BY for place in range(1, SLICES + 1)]

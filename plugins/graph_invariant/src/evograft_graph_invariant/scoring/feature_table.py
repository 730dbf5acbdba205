"""What the search knows: columns and target of the training and validation graphs, prepared for scoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.graphs.datasets import GraphSet, SetSpec, load_distances, load_set
from evograft_graph_invariant.graphs.features import Vector
from evograft_graph_invariant.graphs.targets import Target
from evograft_graph_invariant.scoring.correlation import (
    Matrix,
    bounded,
    centred,
    rank_profile,
    rank_profiles,
    strongest,
)
from evograft_graph_invariant.scoring.grouped_ranks import Numbers, RankGroups
from evograft_graph_invariant.scoring.novelty import Novelty

SLICES = 5
"""How many slices a quantity cuts the graphs into; there are as many kinds of graph."""

SLICED_BY = ("n", "density")


SHAPES: tuple[Callable[[Vector], Vector], ...] = (
    lambda target: target,
    np.sqrt,
    np.log,
    lambda target: target**-0.5,
    np.reciprocal,
    lambda target: target**-2.0,
)
"""What a formula, or its logarithm, may be a line in; both targets are positive on connected graphs."""


@dataclass(frozen=True)
class Sheet:
    """One data set, or several joined, as rows of numbers: one entry a graph in each vector."""

    count: int
    columns: dict[str, Vector]
    """The columns that candidates may use."""
    target: Vector
    hidden: dict[str, Vector]
    """Everything else that is known of the graphs: for checks and judgement only."""
    kinds: npt.NDArray[np.str_]

    def of(self, chosen: npt.NDArray[np.bool_]) -> Sheet:
        """The rows of the chosen graphs."""
        return Sheet(
            count=int(chosen.sum()),
            columns={name: values[chosen] for name, values in self.columns.items()},
            target=self.target[chosen],
            hidden={name: values[chosen] for name, values in self.hidden.items()},
            kinds=self.kinds[chosen],
        )


def load_sheet(spec: SetSpec, master_seed: int, target: Target, allowed: tuple[str, ...], folder: Path | None) -> Sheet:
    graphs = load_set(spec, master_seed, folder=folder)
    return make_sheet(graphs, load_distances(spec, master_seed, graphs, folder=folder), target, allowed)


def make_sheet(graphs: GraphSet, distances: dict[str, Vector], target: Target, allowed: tuple[str, ...]) -> Sheet:
    known = {**graphs.columns, **distances}
    return Sheet(
        count=len(graphs),
        columns={name: known[name] for name in allowed},
        target=known[target.name],
        hidden={name: values for name, values in known.items() if name not in allowed},
        kinds=np.array(graphs.kinds),
    )


def join(first: Sheet, second: Sheet) -> Sheet:
    return Sheet(
        count=first.count + second.count,
        columns=_join(first.columns, second.columns),
        target=np.concatenate([first.target, second.target]),
        hidden=_join(first.hidden, second.hidden),
        kinds=np.concatenate([first.kinds, second.kinds]),
    )


def _join(first: dict[str, Vector], second: dict[str, Vector]) -> dict[str, Vector]:
    return {name: np.concatenate([values, second[name]]) for name, values in first.items()}


def known_values(sheet: Sheet, names: tuple[str, ...]) -> dict[str, Vector]:
    """The named quantities, whether candidates may use them or not."""
    return {name: sheet.columns[name] if name in sheet.columns else sheet.hidden[name] for name in names}


class Ranked(NamedTuple):
    """Rank profiles of values on all graphs."""

    train: Vector
    validation: Vector
    slices: Matrix


class SearchSheet:
    """Training graphs first, then validation graphs, with everything ranked that does not depend on a candidate."""

    def __init__(
        self, train: Sheet, validation: Sheet, references: tuple[str, ...], *, novelty_given_target: bool = False
    ) -> None:
        self.train = train
        self.validation = validation
        self.all = join(train, validation)
        self.train_profile = rank_profile(train.target)
        self.validation_profile = rank_profile(validation.target)
        given = validation.target if novelty_given_target else None
        self.novelty = Novelty(known_values(validation, references), given=given)
        self.shape_profiles = np.stack([centred(shape(self.all.target)) for shape in SHAPES])
        count = self.all.count
        cuts = _cuts(self.all)
        self.slice_profiles = rank_profiles(self.all.target[np.concatenate(cuts)])
        self._groups = RankGroups([np.split(np.arange(count), [train.count]), *map(list, cuts)], count)
        self._slice_places = np.concatenate([slices + layer * count for layer, slices in enumerate(cuts, start=1)])

    def rank(self, values: Vector) -> Ranked:
        profiles = self._groups.profiles(values)
        split = self.train.count
        return Ranked(profiles[:split], profiles[split : self.all.count], profiles.take(self._slice_places))

    def train_correlation(self, profile: Vector) -> float:
        return bounded(float(profile.dot(self.train_profile)))

    def linearity(self, values: Vector) -> float:
        """The largest |Pearson r| of the values, or their logarithms, with a simple function of the target, on all graphs.

        Ranks forgive a formula that is about to blow up at the edge of the data; a straight line does not. With the
        logarithms every power of a formula is as straight as the formula, which need not spend nodes on being one.
        """
        straight = strongest(self.shape_profiles.dot(centred(values)))
        if np.minimum.reduce(values) > 0 or np.maximum.reduce(values) < 0:
            straight = max(straight, strongest(self.shape_profiles.dot(centred(np.log(np.abs(values))))))
        return min(1.0, straight)

    def linearities(self, rows: Matrix) -> Vector:
        """The same for each row."""
        straight = self._straightest(rows)
        one_sign = (rows.min(axis=1) > 0) | (rows.max(axis=1) < 0)
        if one_sign.any():
            logarithms = np.log(np.abs(rows[one_sign]))
            straight[one_sign] = np.maximum(straight[one_sign], self._straightest(logarithms))
        return np.minimum(1.0, straight)

    def _straightest(self, rows: Matrix) -> Vector:
        found: Vector = np.abs(centred(rows) @ self.shape_profiles.T).max(axis=1)
        return found

    def slice_correlations(self, profiles: Matrix) -> list[float]:
        """ρ within each slice: the kinds of graph, and the graphs of similar size and of similar density."""
        correlations: list[float] = np.add.reduce(profiles * self.slice_profiles, axis=1).tolist()
        return correlations


def _cuts(sheet: Sheet) -> list[Numbers]:
    """The graphs by kind, size and density: one row of graph numbers a slice, all of them equally long."""
    length = sheet.count // SLICES
    kinds = [np.flatnonzero(sheet.kinds == kind)[:length] for kind in dict.fromkeys(sheet.kinds.tolist())]
    orders = [values.argsort(kind="stable") for values in known_values(sheet, SLICED_BY).values()]
    cuts = [kinds, *([order[i * length : (i + 1) * length] for i in range(SLICES)] for order in orders)]
    shortest = min(len(members) for slices in cuts for members in slices)
    return [np.stack([members[:shortest] for members in slices]) for slices in cuts]

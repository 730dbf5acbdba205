"""What the search knows: columns and target of the training and validation graphs, prepared for scoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.columns import Vector
from evograft_graph_invariant.datasets import GraphSet, SetSpec, load_distances, load_set
from evograft_graph_invariant.novelty import Novelty
from evograft_graph_invariant.scoring import Matrix, centred, rank_profile, rank_profiles
from evograft_graph_invariant.targets import Target

SLICES = 5
"""How many slices a quantity cuts the graphs into; there are as many kinds of graph."""

SLICED_BY = ("n", "density")


SHAPES: tuple[Callable[[Vector], Vector], ...] = (lambda target: target, np.log, np.reciprocal)
"""What a formula may be a line in; both targets are positive on connected graphs."""


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


class SearchSheet:
    """Training graphs first, then validation graphs, with everything ranked that does not depend on a candidate."""

    def __init__(self, train: Sheet, validation: Sheet, references: tuple[str, ...]) -> None:
        self.train = train
        self.validation = validation
        self.all = join(train, validation)
        self.train_profile = rank_profile(train.target)
        self.validation_profile = rank_profile(validation.target)
        self.all_profile = rank_profile(self.all.target)
        self.novelty = Novelty(known_values(validation, references))
        self.shape_profiles = np.stack([centred(shape(self.all.target)) for shape in SHAPES])
        self.slices = _slices(self.all)
        self.slice_profiles = rank_profiles(self.all.target[self.slices])

    def train_correlation(self, values: Vector) -> float:
        return float(np.clip(rank_profile(values) @ self.train_profile, -1.0, 1.0))

    def linearity(self, values: Vector) -> float:
        """The largest |Pearson r| with the target, its logarithm and its inverse, on all graphs.

        Ranks forgive a formula that is about to blow up at the edge of the data; a straight line does not.
        """
        return min(1.0, float(np.abs(self.shape_profiles @ centred(values)).max()))

    def slice_correlations(self, values: Vector) -> Vector:
        """ρ within each slice: the kinds of graph, and the graphs of similar size and of similar density."""
        result: Vector = (rank_profiles(values[self.slices]) * self.slice_profiles).sum(axis=1)
        return result


def _slices(sheet: Sheet) -> Matrix:
    """One row of graph numbers a slice; all rows are equally long, so that they are ranked in one go."""
    length = sheet.count // SLICES
    quantities = known_values(sheet, SLICED_BY)
    rows = [np.flatnonzero(sheet.kinds == kind)[:length] for kind in dict.fromkeys(sheet.kinds.tolist())]
    for values in quantities.values():
        order = values.argsort(kind="stable")
        rows += [order[i * length : (i + 1) * length] for i in range(SLICES)]
    shortest = min(len(row) for row in rows)
    return np.stack([row[:shortest] for row in rows])

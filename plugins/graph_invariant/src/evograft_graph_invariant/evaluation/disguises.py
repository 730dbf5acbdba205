"""Programs that order the graphs as a forbidden quantity does, in whatever disguise."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from evograft_graph_invariant.evaluation.data_splits import get_search_sets
from evograft_graph_invariant.evaluation.leaks import get_forbidden
from evograft_graph_invariant.evaluation.run_tables import RunTables
from evograft_graph_invariant.graphs.disguises import DISGUISES
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.scoring.correlation import Vector, rank_profile, rank_profiles
from evograft_graph_invariant.scoring.feature_table import FeatureTable

DISGUISED = 0.9993
"""|ρ| from which on a program orders the graphs as a forbidden quantity does. The best formulas over columns have
0.997 with their target."""

EXPLAINED = 0.997
"""A quantity that a line in the plainest columns orders so well says nothing about a program that orders as it does."""

PLAINEST = ("n", "density", "average_degree", "two_hop_share", "mean_second_neighbors")
FEWEST = 100
"""Fewer graphs may be ordered so well by quality alone."""


class DisguiseDetector:
    """The ranks of everything forbidden, on training and validation graphs."""

    def __init__(self, quantities: Mapping[str, Vector], table: FeatureTable) -> None:
        plain = [table.columns[name] for name in PLAINEST if name in table.columns]
        basis = np.column_stack([np.ones(table.count), *plain])
        columns = rank_profiles(np.stack(list(table.columns.values())))
        kept = {
            name: values
            for name, values in quantities.items()
            if not _is_explained(values, basis) and np.abs(columns @ rank_profile(values)).max() < DISGUISED
        }
        self._names = tuple(kept) if table.count >= FEWEST else ()
        self._profiles = rank_profiles(np.stack(list(kept.values()))) if self._names else np.empty((0, table.count))

    def find(self, values: Vector) -> tuple[str, float] | None:
        """Return what the values are a disguise of, and |ρ| with it; `None` if they are none."""
        if not self._names:
            return None
        found = np.abs(self._profiles @ rank_profile(values))
        place = int(found.argmax())
        return (self._names[place], float(found[place])) if found[place] >= DISGUISED else None


def build_detector(options: GraphInvariantOptions, tables: RunTables, seen: FeatureTable) -> DisguiseDetector:
    """Compute the disguises of a run's target on its training and validation graphs, which takes a second or two."""
    quantities = dict(get_forbidden(seen, tables.target))
    family = tables.target.family
    if family is not None:
        compute = DISGUISES[family]
        sets = map(tables.load_graphs, get_search_sets(options))
        graphs = chain.from_iterable(zip(each.sizes, each.edges, strict=True) for each in sets)
        rows = [compute(n, edges) for n, edges in graphs]
        quantities |= {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return DisguiseDetector(quantities, seen)


def _is_explained(values: Vector, basis: Vector) -> bool:
    fitted = basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    return bool(abs(rank_profile(values) @ rank_profile(fitted)) >= EXPLAINED)

"""The data sets of an experiment as parts of its summary."""

from __future__ import annotations

from collections import Counter

from evograft_graph_invariant.datasets import RandomSet, SetSpec, fixed_names
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.records.parts import DataSetRecord
from evograft_graph_invariant.splits import SANITY, ood_sets, search_sets, test_sets
from evograft_hookspecs import FrozenDict

SCREENING = "quick screening"
SELECTION = "selection"
JUDGEMENT = "final judgement only"
CHECK = "shows that the pipeline is sound; never for search or selection"
OUT = "out of distribution; final judgement only"


def data_records(options: GraphInvariantOptions) -> tuple[DataSetRecord, ...]:
    """All sets of an experiment, and what each may be used for."""
    train, validation = search_sets(options)
    return (
        _record(train, SCREENING),
        _record(validation, SELECTION),
        *(_record(spec, JUDGEMENT) for spec in test_sets(options)),
        _record(SANITY, CHECK),
        *(_record(spec, OUT) for spec in ood_sets(options)),
    )


def _record(spec: SetSpec, use: str) -> DataSetRecord:
    if isinstance(spec, RandomSet):
        kinds = Counter(spec.kinds[i % len(spec.kinds)] for i in range(spec.count))
        return DataSetRecord(name=spec.name, use=use, graphs=spec.count, nodes=spec.sizes, kinds=FrozenDict(kinds))
    names = fixed_names(spec)
    return DataSetRecord(name=spec.name, use=use, graphs=len(names), kinds=FrozenDict(Counter(names)))

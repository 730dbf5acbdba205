"""The data sets of an experiment as parts of its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evograft_graph_invariant.evaluation.data_splits import (
    get_ood_sets,
    get_sanity_sets,
    get_search_sets,
    get_test_sets,
)
from evograft_graph_invariant.graphs.datasets import OwnSet, RandomSet, SetSpec, derive_graph_seed, list_fixed_names
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_graph_invariant.records.summary.model import DataSetRecord
from evograft_hookspecs import FrozenDict

SCREENING = "quick screening"
SELECTION = "selection"
JUDGEMENT = "final judgement only"
CHECK = "shows that the pipeline is sound; never for search or selection"
OUT = "out of distribution; final judgement only"


def describe_data_sets(options: GraphInvariantOptions, master_seed: int) -> tuple[DataSetRecord, ...]:
    """Return all sets of an experiment, the seeds of their graphs, and what each may be used for."""
    sets = _sets(options)
    return tuple(_record(spec, use, master_seed) for spec, use in sets)


def _sets(options: GraphInvariantOptions) -> Iterator[tuple[SetSpec, str]]:
    train, validation = get_search_sets(options)
    yield train, SCREENING
    yield validation, SELECTION
    yield from ((spec, JUDGEMENT) for spec in get_test_sets(options))
    yield from ((spec, CHECK) for spec in get_sanity_sets(options))
    yield from ((spec, OUT) for spec in get_ood_sets(options))


def _record(spec: SetSpec, use: str, master_seed: int) -> DataSetRecord:
    if isinstance(spec, RandomSet):
        kinds = Counter(spec.kinds[i % len(spec.kinds)] for i in range(spec.count))
        return DataSetRecord(
            name=spec.name,
            use=use,
            graphs=spec.count,
            nodes=spec.sizes,
            kinds=FrozenDict(kinds),
            seeds=tuple(derive_graph_seed(master_seed, spec.name, i) for i in range(spec.count)),
        )
    if isinstance(spec, OwnSet):
        graphs = spec.load(master_seed).splits[spec.name]
        names = tuple(graph.kind for graph in graphs)
    else:
        names = list_fixed_names(spec)
    return DataSetRecord(name=spec.name, use=use, graphs=len(names), kinds=FrozenDict(Counter(names)))

"""The contents of a sandbox worker: graphs, the columns that candidates may use, and a networkx that knows them.

Neither the target's values nor a graph that the search is not to see ever get into such a process before the final
judgement: a candidate that climbed out of the language would find nothing worth having.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.linalg
import scipy.sparse.linalg  # noqa: F401 - networkx imports both on first use, when no file can be read any more

from evograft_graph_invariant.evaluation.data_splits import (
    ATLAS,
    get_ood_sets,
    get_sanity_sets,
    get_search_sets,
    get_test_sets,
    get_weighed_sets,
)
from evograft_graph_invariant.evaluation.question_order import AGAIN, shuffle_calls
from evograft_graph_invariant.evaluation.run_columns import list_own_columns
from evograft_graph_invariant.evaluation.standard_modules import build_standard_modules
from evograft_graph_invariant.graphs.datasets import GraphSet, SetSpec, load_quantity, load_set
from evograft_graph_invariant.graphs.features import (
    build_adjacency_matrix,
    compute_node_clustering,
    count_node_triangles,
    count_walks,
)
from evograft_graph_invariant.graphs.generators import Edges, Graph, rename_nodes, to_networkx
from evograft_graph_invariant.graphs.graph_views import install_views
from evograft_graph_invariant.graphs.networkx_api import list_offered_functions
from evograft_graph_invariant.graphs.targets import get_allowed_columns
from evograft_graph_invariant.options import GraphInvariantOptions
from evograft_sandbox.functions import Preload

CHECKED = 10
"""The number of training graphs that are asked for twice and under other names."""

_SPELLED: dict[str, tuple[str, type]] = {
    "number_of_nodes": ("n", int),
    "number_of_edges": ("m", int),
    "density": ("density", float),
    "transitivity": ("transitivity", float),
    "average_clustering": ("clustering_coefficient", float),
    "degree_assortativity_coefficient": ("degree_assortativity", float),
    "degree_pearson_correlation_coefficient": ("degree_assortativity", float),
    "algebraic_connectivity": ("algebraic_connectivity", float),
}
"""Functions of networkx whose value is a column, and the type that networkx returns."""

_SAME_VALUE = {"degree_pearson_correlation_coefficient": "degree_assortativity_coefficient"}
"""The replacement of a function that would need `scipy.stats`: 0.4 s and 22 MB for each worker."""


def load(master_seed: int, options: Mapping[str, Any], purpose: str, folder: str | None) -> Preload:
    """Load what a sandbox worker holds.

    Args:
        master_seed: of the data.
        options: the plugin's, as JSON.
        purpose: `search`, `again` for the same graphs under other names and in another order, or `final`.
        folder: the cache of the process that asks, whose environment this one does not share.
    """
    chosen = GraphInvariantOptions.model_validate_json(json.dumps(dict(options)))
    columns = get_allowed_columns(chosen.target, chosen.level)
    own = list_own_columns(chosen)
    shared = SharedInvariants((*columns, *(each.name for each in own)))
    place = Path(folder) if folder else None
    datasets: dict[str, list[Graph]] = {}
    for spec in _specs(chosen, purpose):
        graphs = load_set(spec, master_seed, folder=place, columns=columns, keep=False)
        for each in own:
            graphs.columns[each.name] = load_quantity(each, spec, master_seed, graphs, folder=place)
        if purpose == "again":
            name, items = spec.name + AGAIN, shared.add_renamed(graphs, seed=master_seed)
        else:
            name, items = spec.name, shared.add_set(graphs, checks=CHECKED if spec.name == "train" else 0)
        datasets[name] = [items[i] for i in shuffle_calls(name, len(items), master_seed)]
    if purpose != "final":  # the final sets are large, and a single program is run on them
        for graph in chain.from_iterable(datasets.values()):
            install_views(graph)
    modules, names = _offer(shared, list_offered_functions(chosen.target, chosen.level))
    return Preload(datasets=datasets, modules=modules, names=names)


def _specs(options: GraphInvariantOptions, purpose: str) -> tuple[SetSpec, ...]:
    weighed = (ATLAS,) if options.mode != "approximate" else tuple(get_weighed_sets(options).values())
    if purpose == "again":
        return get_search_sets(options)
    if purpose == "search":
        return (*get_search_sets(options), *weighed)
    return (
        get_search_sets(options)[1],
        *get_test_sets(options),
        *get_sanity_sets(options),
        *get_ood_sets(options),
        *weighed,
    )


class SharedInvariants:
    """The invariants of all graphs in this process, by the graph's identity: copies of a graph know nothing.

    A program that empties a graph through its private attributes is still told what the graph was: it fools itself
    alone, since its process is its own.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(columns)
        self._values: dict[int, dict[str, float]] = {}
        self._per_node: dict[int, dict[str, dict[int, Any]]] = {}

    def add_set(self, graphs: GraphSet, *, checks: int) -> list[Graph]:
        """Add the set's graphs; the first few follow again, under the same names and then under others."""
        listed = [(range(n), edges) for n, edges in zip(graphs.sizes, graphs.edges, strict=True)]
        renamed = [rename_nodes(graphs.sizes[i], graphs.edges[i], seed=i) for i in range(checks)]
        items = [self._add(graphs, i, *listed[i]) for i in (*range(len(graphs)), *range(checks))]
        return items + [self._add(graphs, i, *renamed[i]) for i in range(checks)]

    def add_renamed(self, graphs: GraphSet, *, seed: int) -> list[Graph]:
        """Add the set's graphs under other names."""
        pairs = enumerate(zip(graphs.sizes, graphs.edges, strict=True))
        return [self._add(graphs, i, *rename_nodes(n, edges, seed=seed + i)) for i, (n, edges) in pairs]

    def _add(self, graphs: GraphSet, index: int, nodes: Iterable[int], edges: Edges) -> Graph:
        graph: Graph = nx.freeze(to_networkx(nodes, edges))
        self._values[id(graph)] = {name: float(graphs.columns[name][index]) for name in self.columns}
        if "triangles" in self.columns:
            self._per_node[id(graph)] = _per_node(graphs.sizes[index], edges)
        return graph

    def column(self, name: str) -> Callable[[Graph], float]:
        """Return the column as a function of the graph."""
        values = self._values

        def column(G: Graph) -> float:  # noqa: N803 - what candidates call it
            try:
                return values[id(G)][name]
            except KeyError:
                raise ValueError(f"{name}(G) is known of the given graph only, not of one made from it") from None

        column.__name__ = name
        return column

    def answer(self, function: str) -> Callable[..., Any]:
        """Return the function of networkx that looks up what is known and computes the rest."""
        compute = getattr(nx, _SAME_VALUE.get(function, function))
        if function in _SPELLED and _SPELLED[function][0] in self.columns:
            return _looked_up(compute, self._values, *_SPELLED[function])
        if function in ("triangles", "clustering"):
            return _looked_up(compute, self._per_node, function, dict)
        return compute  # type: ignore[no-any-return]


def _looked_up(
    compute: Callable[..., Any], known: Mapping[int, Mapping[str, Any]], name: str, kind: Callable[[Any], Any]
) -> Callable[..., Any]:
    def answer(G: Graph, *args: Any, **options: Any) -> Any:  # noqa: N803 - networkx calls it so
        found = known.get(id(G))
        if found is None or args or options:
            return compute(G, *args, **options)
        return kind(found[name])

    return answer


def _per_node(n: int, edges: Edges) -> dict[str, dict[int, Any]]:
    matrix = build_adjacency_matrix(n, edges)
    closed = count_node_triangles(matrix, count_walks(matrix))
    clustering = compute_node_clustering(closed, matrix.sum(axis=1))
    return {
        "triangles": {i: int(value) for i, value in enumerate(closed)},
        "clustering": {i: float(value) for i, value in enumerate(clustering)},
    }


def _offer(shared: SharedInvariants, functions: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the modules that candidates may import, and the names they find without importing."""
    library = types.ModuleType("networkx")
    for name in functions:
        if hasattr(nx, name):
            setattr(library, name, shared.answer(name))
    modules: dict[str, Any] = {"math": math, "numpy": np, "networkx": library, **build_standard_modules()}
    names = {name: shared.column(name) for name in shared.columns}
    return modules, {**names, "math": math, "np": np, "nx": library}

"""The data sets and their graphs, built from one master seed or read from the cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from evograft.api import UserError
from evograft_graph_invariant.graphs.arithmetic_fingerprint import compute_arithmetic_fingerprint
from evograft_graph_invariant.graphs.cache import Arrays, build_cache_key, load_or_build
from evograft_graph_invariant.graphs.distances import compute_distance_quantities
from evograft_graph_invariant.graphs.features import Vector, compute_columns
from evograft_graph_invariant.graphs.generators import (
    KINDS,
    DrawnGraph,
    Edges,
    Graph,
    draw_graph,
    find_largest_component,
)
from evograft_graph_invariant.graphs.own_graphs import OwnGraphs, load_own_graphs
from evograft_graph_invariant.graphs.own_options import GraphOptions
from evograft_graph_invariant.graphs.quantities import Quantity
from evograft_graph_invariant.graphs.targets import DISTANCE_QUANTITIES
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES

FORMAT = 1
"""Changes with the generators, the columns or the layout of the files; older files are then never read."""

SMALLEST = 30
"""Nodes of the smallest largest component that stands for its graph, however large the draw was."""

THREADS = 4


@dataclass(frozen=True)
class RandomSet:
    """A set of random graphs, before it is drawn."""

    name: str
    count: int
    sizes: tuple[int, int]
    """The range of the number of nodes drawn, inclusive."""
    minimum: int
    """The smallest largest component that is kept."""
    kinds: tuple[str, ...] = KINDS
    """In turn."""


@dataclass(frozen=True)
class FixedSet:
    """A set of named graphs, the same for every seed."""

    name: str


@dataclass(frozen=True)
class OwnSet:
    """A split of the user's graphs."""

    name: str
    source: GraphOptions

    def load(self, master_seed: int) -> OwnGraphs:
        """Return all graphs of the user's, of which this set is a split."""
        return load_own_graphs(self.source, master_seed)


SetSpec = RandomSet | FixedSet | OwnSet


@dataclass(frozen=True)
class GraphSet:
    """A built set. Every sequence has one item a graph, in the same order."""

    name: str
    sizes: tuple[int, ...]
    edges: tuple[Edges, ...]
    columns: dict[str, Vector]
    kinds: tuple[str, ...]
    """The kind of generator, or the graph's name in a fixed set."""
    drawn: tuple[dict[str, Any], ...]
    """Seed, parameters and redraws of each graph, as the log keeps them; empty for a fixed set."""

    def __len__(self) -> int:
        return len(self.sizes)


def make_random_set(name: str, count: int, sizes: tuple[int, int]) -> RandomSet:
    """Return a set of the training distribution; if the range begins below `SMALLEST`, so may its graphs."""
    return RandomSet(name, count, sizes, minimum=min(SMALLEST, sizes[0]))


def derive_graph_seed(master_seed: int, split: str, index: int) -> int:
    """Return the seed of one graph: it depends on no other split, and not on how many graphs its own has."""
    digest = hashlib.sha256(f"{master_seed}/{split}/{index}".encode()).digest()
    return int.from_bytes(digest[:6])


def load_set(
    spec: SetSpec, master_seed: int, *, folder: Path | None, columns: Iterable[str] = COLUMN_NAMES, keep: bool = True
) -> GraphSet:
    """Build a set or read it from the cache, with the named columns only.

    A set that is not to be kept is built with these alone: the others are never computed.
    """
    names = tuple(columns)
    computed = COLUMN_NAMES if keep and folder else names
    key = _key("graphs", spec, master_seed)
    members = ("sizes", "edges", "about", *(f"column_{name}" for name in names))
    arrays = load_or_build(key, members, lambda: _pack(_draw(spec, master_seed), computed), folder=folder, keep=keep)
    about = json.loads(arrays["about"].tobytes())
    sizes = arrays["sizes"]
    return GraphSet(
        name=spec.name,
        sizes=tuple(int(n) for n in sizes[:, 0]),
        edges=tuple(np.split(arrays["edges"], np.cumsum(sizes[:, 1])[:-1])),
        columns={name: arrays[f"column_{name}"] for name in names},
        kinds=tuple(about["kinds"]),
        drawn=tuple(about["drawn"]),
    )


def load_distances(spec: SetSpec, master_seed: int, graphs: GraphSet, *, folder: Path | None) -> dict[str, Vector]:
    """Load the distance quantities of a set, which are kept in a file that candidates' processes never open."""
    key = _key("distances", spec, master_seed)

    def build() -> Arrays:
        rows = _each(compute_distance_quantities, list(zip(graphs.sizes, graphs.edges, strict=True)))
        return {name: np.array([row[name] for row in rows]) for name in DISTANCE_QUANTITIES}

    return load_or_build(key, DISTANCE_QUANTITIES, build, folder=folder)


def load_quantity(
    quantity: Quantity, spec: SetSpec, master_seed: int, graphs: GraphSet, *, folder: Path | None
) -> Vector:
    """Load a target or a column that has to be computed for each graph, or that the user's table has.

    Raises:
        UserError: some graph has no value.
    """
    if quantity.origin == "table":
        return _read_table(quantity, spec, master_seed)
    names = list_graph_names(spec, master_seed, graphs)

    def build() -> Arrays:
        each = zip(graphs.sizes, graphs.edges, names, strict=True)
        return {"values": np.array([quantity.compute(n, edges, name) for n, edges, name in each])}

    key = _key(f"quantity {quantity.digest()}", spec, master_seed)
    return load_or_build(key, ("values",), build, folder=folder)["values"]


def _read_table(quantity: Quantity, spec: SetSpec, master_seed: int) -> Vector:
    own = spec.load(master_seed) if isinstance(spec, OwnSet) else None
    if own is None or own.table is None:
        raise UserError(f"{quantity.reference} is neither a target, nor a function, nor a column of graphs.table")
    return np.array(own.table.read_numbers(quantity.reference, [graph.name for graph in own.splits[spec.name]]))


def list_graph_names(spec: SetSpec, master_seed: int, graphs: GraphSet) -> list[str]:
    """Return what messages call the graphs of a set."""
    if isinstance(spec, OwnSet):
        return [graph.name for graph in spec.load(master_seed).splits[spec.name]]
    return [f"{number} of {spec.name} ({kind})" for number, kind in enumerate(graphs.kinds, start=1)]


def _key(part: str, spec: SetSpec, master_seed: int) -> str:
    # Another version of networkx may draw other graphs from the same seed, another CPU compute their columns
    # differently.
    libraries = FORMAT, nx.__version__, compute_arithmetic_fingerprint()
    if isinstance(spec, OwnSet):
        return build_cache_key(*libraries, part, spec.name, spec.load(master_seed).digest, master_seed)
    seed = master_seed if isinstance(spec, RandomSet) else None
    return build_cache_key(*libraries, part, asdict(spec), seed)


def _draw(spec: SetSpec, master_seed: int) -> list[DrawnGraph]:
    if isinstance(spec, FixedSet):
        return [_named(name, make()) for name, make in _makers(spec).items()]
    if isinstance(spec, OwnSet):
        graphs = spec.load(master_seed).splits[spec.name]
        return [DrawnGraph(graph.n, graph.edges, graph.kind, 0, {}, 0) for graph in graphs]
    return [
        draw_graph(
            derive_graph_seed(master_seed, spec.name, i),
            spec.kinds[i % len(spec.kinds)],
            sizes=spec.sizes,
            minimum=spec.minimum,
        )
        for i in range(spec.count)
    ]


def list_fixed_names(spec: FixedSet) -> tuple[str, ...]:
    """Return the names of the graphs of a fixed set."""
    return tuple(_makers(spec))


def _makers(spec: FixedSet) -> dict[str, Callable[[], Graph]]:
    return _atlas() if spec.name == "atlas" else _FIXED[spec.name]


def _named(name: str, graph: Graph) -> DrawnGraph:
    n, edges = find_largest_component(graph)
    return DrawnGraph(n, edges, name, 0, {}, 0)


def _atlas() -> dict[str, Callable[[], Graph]]:
    graphs = enumerate(nx.graph_atlas_g())
    return {f"atlas {i}": graph.copy for i, graph in graphs if len(graph) > 1 and nx.is_connected(graph)}


def _pack(graphs: list[DrawnGraph], columns: tuple[str, ...]) -> Arrays:
    rows = _each(partial(compute_columns, names=columns), [(graph.n, graph.edges) for graph in graphs])
    drawn = [{"seed": g.seed, "parameters": g.parameters, "redraws": g.redraws} for g in graphs if g.parameters]
    about = json.dumps({"kinds": [graph.kind for graph in graphs], "drawn": drawn})
    return {
        "sizes": np.array([(graph.n, len(graph.edges)) for graph in graphs], dtype=np.int64),
        "edges": np.concatenate([graph.edges for graph in graphs]),
        "about": np.frombuffer(about.encode(), dtype=np.uint8),
        **{f"column_{name}": np.array([row[name] for row in rows]) for name in columns},
    }


def _each(compute: Callable[[int, Edges], dict[str, float]], graphs: list[tuple[int, Edges]]) -> list[dict[str, float]]:
    """Compute for all graphs, a few at a time, each on one core.

    The threads that BLAS would start for each matrix wait for one another in busy loops: on a machine with other work
    to do, that makes matrices of this size many times slower.
    """
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda graph: compute(*graph), graphs))


_FIXED: dict[str, dict[str, Callable[[], Graph]]] = {
    "sanity": {
        "karate_club": nx.karate_club_graph,
        "les_miserables": nx.les_miserables_graph,
        "florentine_families": nx.florentine_families_graph,
    },
    "special_topology": {
        "barbell(20,5)": lambda: nx.barbell_graph(20, 5),
        "grid_2d(8,8)": lambda: nx.grid_2d_graph(8, 8),
        "ladder(30)": lambda: nx.ladder_graph(30),
        "circulant(60,[1,5])": lambda: nx.circulant_graph(60, [1, 5]),
        "petersen": nx.petersen_graph,
        "karate_club": nx.karate_club_graph,
        "les_miserables": nx.les_miserables_graph,
        "florentine_families": nx.florentine_families_graph,
        "davis_southern_women": nx.davis_southern_women_graph,
        "circular_ladder(30)": lambda: nx.circular_ladder_graph(30),
        "path(100)": lambda: nx.path_graph(100),
        "cycle(100)": lambda: nx.cycle_graph(100),
        "star(99)": lambda: nx.star_graph(99),
        "complete(50)": lambda: nx.complete_graph(50),
        "complete_bipartite(25,25)": lambda: nx.complete_bipartite_graph(25, 25),
        "wheel(100)": lambda: nx.wheel_graph(100),
        "random_regular(3,50)": lambda: nx.random_regular_graph(3, 50, seed=1),
        "random_regular(6,50)": lambda: nx.random_regular_graph(6, 50, seed=1),
    },
}

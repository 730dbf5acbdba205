"""The table of conjectures: invariants as columns, graphs as rows, and which properties each graph has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
import numpy.typing as npt

from evograft_graph_invariant.conjectures.invariants.catalogue import BY_NAME, INVARIANT_NAMES, PROPERTY_NAMES, Group
from evograft_graph_invariant.conjectures.invariants.degrees import compute_degree_invariants
from evograft_graph_invariant.conjectures.invariants.distances import compute_distance_invariants
from evograft_graph_invariant.conjectures.invariants.exact import compute_one_by_one
from evograft_graph_invariant.conjectures.invariants.properties import compute_properties
from evograft_graph_invariant.conjectures.invariants.spectra import compute_spectral_invariants
from evograft_graph_invariant.conjectures.invariants.subsets import LARGEST, compute_subset_invariants
from evograft_graph_invariant.conjectures.pools.enumeration import (
    LARGEST_ORDER,
    LARGEST_TREE,
    enumerate_connected,
    enumerate_trees,
)
from evograft_graph_invariant.conjectures.pools.families import build_families
from evograft_graph_invariant.conjectures.pools.stack import Adjacency, GraphStack, encode_graph6
from evograft_graph_invariant.graphs.arithmetic_fingerprint import compute_arithmetic_fingerprint
from evograft_graph_invariant.graphs.cache import Arrays, build_cache_key, load_or_build
from evograft_graph_invariant.graphs.features import Vector

FORMAT = 1
"""Changes with invariants, properties, pools or the layout of the file."""

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class InvariantTable:
    """Graphs with all their invariants and properties."""

    columns: dict[str, Vector]
    properties: dict[str, Flags]
    kinds: npt.NDArray[np.str_]
    """The kind of pool that each graph is from."""
    graphs: npt.NDArray[np.str_]
    """Each graph as graph6."""

    def __len__(self) -> int:
        return len(self.graphs)

    def select(self, rows: Flags | npt.NDArray[np.intp]) -> InvariantTable:
        """Return the table of these graphs."""
        return InvariantTable(
            {name: values[rows] for name, values in self.columns.items()},
            {name: values[rows] for name, values in self.properties.items()},
            self.kinds[rows],
            self.graphs[rows],
        )

    def find_rows(self, hypothesis: Iterable[str]) -> Flags:
        """Return which graphs have all of these properties."""
        return find_common(self.properties, hypothesis, len(self))


def find_common(properties: Mapping[str, Flags], hypothesis: Iterable[str], count: int) -> Flags:
    """Return which of so many graphs have all properties of a hypothesis."""
    found = np.ones(count, dtype=bool)
    for name in hypothesis:
        found &= properties[name]
    return found


def concatenate(tables: Iterable[InvariantTable]) -> InvariantTable:
    """Return one table of all graphs."""
    parts = list(tables)
    return InvariantTable(
        {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns},
        {name: np.concatenate([part.properties[name] for part in parts]) for name in parts[0].properties},
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.graphs for part in parts]),
    )


def compute_invariants(adjacency: Adjacency, names: Iterable[str] = INVARIANT_NAMES) -> dict[str, Vector]:
    """Compute the named invariants of a stack, and whole groups at a time what they need."""
    wanted = tuple(names)
    groups: set[Group] = {BY_NAME[name].group for name in wanted}
    found: dict[str, Vector] = {}
    if "degrees" in groups:
        found |= compute_degree_invariants(adjacency)
    if "distances" in groups:
        found |= compute_distance_invariants(adjacency)
    if "spectra" in groups:
        found |= compute_spectral_invariants(adjacency)
    if "subsets" in groups:
        hard = tuple(name for name in wanted if BY_NAME[name].group == "subsets")
        small = adjacency.shape[1] <= LARGEST
        found |= compute_subset_invariants(adjacency, hard) if small else compute_one_by_one(adjacency, hard)
    return {name: found[name] for name in wanted}


def tabulate(stack: GraphStack) -> InvariantTable:
    """Return the table of one stack."""
    return InvariantTable(
        compute_invariants(stack.adjacency),
        compute_properties(stack.adjacency),
        np.full(len(stack), stack.kind),
        np.array([encode_graph6(graph) for graph in stack.adjacency]),
    )


def load_table(
    largest: int = LARGEST_ORDER, largest_tree: int = LARGEST_TREE, *, folder: Path | None
) -> InvariantTable:
    """Load all connected graphs up to an order, all trees up to another and the families, or build them once.

    Args:
        largest: of all connected graphs.
        largest_tree: of all trees; 0 leaves trees and families out.
        folder: of the cache; `None` keeps nothing.
    """
    key = build_cache_key(
        "conjectures", FORMAT, nx.__version__, compute_arithmetic_fingerprint(), largest, largest_tree
    )
    members = ("kinds", "graphs", *INVARIANT_NAMES, *(f"is_{name}" for name in PROPERTY_NAMES))
    arrays = load_or_build(key, members, lambda: _pack(_pools(largest, largest_tree)), folder=folder)
    return InvariantTable(
        {name: arrays[name] for name in INVARIANT_NAMES},
        {name: arrays[f"is_{name}"] for name in PROPERTY_NAMES},
        arrays["kinds"],
        arrays["graphs"],
    )


def _pools(largest: int, largest_tree: int) -> Iterator[GraphStack]:
    yield from enumerate_connected(largest)
    if largest_tree:
        yield from enumerate_trees(largest + 1, largest_tree)
        yield from build_families()


def _pack(stacks: Iterable[GraphStack]) -> Arrays:
    table = concatenate(map(tabulate, stacks))
    properties = {f"is_{name}": values for name, values in table.properties.items()}
    return {"kinds": table.kinds, "graphs": table.graphs, **table.columns, **properties}

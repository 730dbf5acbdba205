"""Stacks of graphs from the user's files, a part at a time: there may be millions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from evograft_graph_invariant.conjectures.invariants.distances import find_connected
from evograft_graph_invariant.conjectures.pools.stack import GraphStack, decode_graph6, stack_graphs, to_graph
from evograft_graph_invariant.graphs.files import read_graphs, require_usable

PART = 20_000
"""Graphs that are looked at together."""
OFFSET = 63
"""What graph6 adds to every number, so that it can be printed."""
LARGEST_SHORT = 62
"""Nodes up to which graph6 has the number of nodes in one character."""


def read_stacks(path: Path) -> Iterator[GraphStack]:
    """Yield the graphs of a file or folder in stacks of one order each.

    Raises:
        UserError: see `read_graphs`.
    """
    kind = f"file {path.name}"
    if path.suffix.lower() in {".g6", ".graph6"} and path.is_file() and _is_plain(path):
        yield from _read_plain(path, kind)
        return
    yield from stack_graphs(kind, (each.graph for each in read_graphs(path)))


def require_readable(paths: Iterable[Path]) -> None:
    """Read all graphs of some files and folders once, before hours are spent on what they are tried on.

    Raises:
        UserError: see `read_graphs`.
    """
    for path in paths:
        for _ in read_stacks(path):
            pass


def _is_plain(path: Path) -> bool:
    """Return whether all lines are of one length and order, as programs that list all graphs of an order write them."""
    with path.open("rb") as file:
        shapes = {(line[:1], len(line.rstrip())) for line in file}
    return len(shapes) == 1 and all(_fits(first[0] - OFFSET, length) for first, length in shapes if first)


def _fits(order: int, length: int) -> bool:
    """Return whether a line of graph6 has a character for each six pairs of nodes, behind that of their number."""
    return 0 < order <= LARGEST_SHORT and length == 1 + math.ceil(order * (order - 1) / 12)


def _read_plain(path: Path, kind: str) -> Iterator[GraphStack]:
    with path.open("rb") as file:
        lines = (line.rstrip() for line in file)
        while part := list(islice(lines, PART)):
            adjacency = decode_graph6(part)
            for place, connected in enumerate(find_connected(adjacency)):
                if not connected:
                    require_usable(to_graph(adjacency[place]), f"{path.name}:{place + 1}")
            yield GraphStack(kind, adjacency)

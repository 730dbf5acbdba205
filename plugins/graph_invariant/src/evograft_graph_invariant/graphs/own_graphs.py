"""Graphs of the user's: read from files or made by networkx, with what a table says of them, and split."""

from __future__ import annotations

import hashlib
import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import networkx as nx

from evograft.api import UserError, did_you_mean
from evograft_graph_invariant.graphs.files import FileGraph, read_graphs, require_usable
from evograft_graph_invariant.graphs.generators import Edges, find_largest_component
from evograft_graph_invariant.graphs.own_options import GeneratorOptions, GraphOptions, Range
from evograft_graph_invariant.graphs.own_table import GraphsTable, read_table

SPLITS = ("train", "validation", "test")
FEWEST = 10
"""Graphs of a split: of fewer, ranks say nothing."""


@dataclass(frozen=True)
class OwnGraph:
    """A connected, simple graph on the nodes 0..n-1."""

    name: str
    kind: str
    """The file or generator that it comes from."""
    n: int
    edges: Edges


@dataclass(frozen=True)
class OwnGraphs:
    """All graphs of a run, by their split."""

    splits: dict[str, tuple[OwnGraph, ...]]
    table: GraphsTable | None
    digest: str
    """Of graphs, names and table: a run whose files have changed is another run."""


def load_own_graphs(options: GraphOptions, master_seed: int) -> OwnGraphs:
    """Read and split the graphs; random draws and splits follow from the master seed.

    Files that have not changed since are not read again.

    Raises:
        UserError: a file, a graph or a row of the table cannot be used, or a split has too few graphs.
    """
    return _load(options, master_seed, tuple(_identify(Path(text)) for text in _list_files(options)))


@lru_cache(maxsize=4)
def _load(options: GraphOptions, master_seed: int, _files: tuple[object, ...]) -> OwnGraphs:
    graphs = [*_read_files(options), *_generate(options, master_seed)]
    table = None if options.table is None else read_table(Path(options.table), [each.name for each in graphs])
    splits = _split(graphs, options, table, master_seed)
    for name, members in splits.items():
        if len(members) < FEWEST:
            raise UserError(f"graphs: {len(members)} for {name}, and at least {FEWEST} are needed: give more graphs")
    digest = hashlib.sha256(b"" if table is None else table.content)
    for graph in graphs:
        digest.update(f"{graph.name} {graph.n} ".encode() + graph.edges.tobytes())
    return OwnGraphs(splits, table, digest.hexdigest())


def _list_files(options: GraphOptions) -> tuple[str, ...]:
    return options.files if options.table is None else (*options.files, options.table)


def _identify(path: Path) -> tuple[str, int, int] | None:
    """Return what a change of the file or of the current folder changes; None, if there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None  # whoever reads it says so
    return str(path.resolve()), found.st_mtime_ns, found.st_size


def _read_files(options: GraphOptions) -> Iterator[OwnGraph]:
    for text in options.files:
        path = Path(text)
        for found in read_graphs(path, largest_component=options.largest_component):
            yield _to_own(found, path.name)


def _generate(options: GraphOptions, master_seed: int) -> Iterator[OwnGraph]:
    for place, each in enumerate(options.generators):
        make = _find_generator(each)
        rng = random.Random(f"{master_seed}/generator/{place}")
        for number in range(1, each.count + 1):
            name = f"{each.name}:{number}" if place == 0 else f"{each.name}:{place + 1}.{number}"
            parameters = {key: _draw(value, rng) for key, value in each.parameters.items()}
            seed = {"seed": rng.getrandbits(32)} if "seed" in inspect.signature(make).parameters else {}
            try:
                graph = make(**{**seed, **parameters})
            except (nx.NetworkXError, TypeError, ValueError) as error:
                raise UserError(f"graphs: networkx.{each.name} with {parameters} made no graph: {error}") from error
            usable = require_usable(graph, name, largest_component=options.largest_component)
            yield _to_own(FileGraph(name, usable), each.name)


def _find_generator(options: GeneratorOptions) -> Any:
    make = getattr(nx, options.name, None)
    if not callable(make) or "generators" not in getattr(make, "__module__", ""):
        known = [name for name in dir(nx) if "generators" in getattr(getattr(nx, name), "__module__", "")]
        raise UserError(f"graphs: networkx has no generator {options.name!r}; {did_you_mean(options.name, known)}")
    return make


def _draw(value: float | Range, rng: random.Random) -> float:
    if not isinstance(value, Range):
        return value
    if isinstance(value.low, int) and isinstance(value.high, int):
        return rng.randint(value.low, value.high)
    return rng.uniform(value.low, value.high)


def _to_own(found: FileGraph, kind: str) -> OwnGraph:
    return OwnGraph(found.name, kind, *find_largest_component(found.graph))


def _split(
    graphs: list[OwnGraph], options: GraphOptions, table: GraphsTable | None, master_seed: int
) -> dict[str, tuple[OwnGraph, ...]]:
    if table is not None and options.split is not None:
        words = table.read_words(options.split, [graph.name for graph in graphs], SPLITS)
    else:
        counts = [round(share * len(graphs)) for share in options.shares[:2]]
        words = [name for name, count in zip(SPLITS, counts, strict=False) for _ in range(count)]
        words += ["test"] * (len(graphs) - len(words))
        random.Random(f"{master_seed}/split").shuffle(words)
    return {name: tuple(graph for graph, word in zip(graphs, words, strict=True) if word == name) for name in SPLITS}

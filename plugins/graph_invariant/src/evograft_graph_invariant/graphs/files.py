"""Graphs from the user's files: graph6 and sparse6, GraphML, GML, lists of edges, and folders of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import networkx as nx

from evograft.api import UserError
from evograft_graph_invariant.graphs.generators import Graph

FORMATS = ".g6, .graph6, .s6, .sparse6, .graphml, .gml, .edgelist, .edges, .txt, .csv"


@dataclass(frozen=True)
class FileGraph:
    """A graph and where it comes from."""

    name: str
    graph: Graph


def read_graphs(path: Path, *, largest_component: bool = False) -> Iterator[FileGraph]:
    """Yield the graphs of a file, or of all files of a folder in the order of their names.

    Args:
        path: of the file or folder.
        largest_component: whether a disconnected graph stands for its largest component.

    Raises:
        UserError: nothing is there, a file is damaged or of an unknown form, or a graph cannot be used.
    """
    for file in _list_files(path):
        read = _READERS.get(file.suffix.lower())
        if read is None:
            raise UserError(f"{file}: graphs are read from files that end in {FORMATS}")
        for place, graph in enumerate(_read(read, file), start=1):
            name = f"{file.name}:{place}"
            yield FileGraph(name, require_usable(graph, name, largest_component=largest_component))


def require_usable(graph: Any, name: str, *, largest_component: bool = False) -> Graph:
    """Return the graph as a simple one, or its largest component.

    Raises:
        UserError: it is directed, not connected, or has fewer than two nodes.
    """
    if graph.is_directed():
        raise UserError(f"{name} is a directed graph, and invariants are of undirected ones: convert it first")
    if largest_component and len(graph):
        graph = graph.subgraph(max(nx.connected_components(graph), key=len))
    if len(graph) < 2:  # noqa: PLR2004 - the smallest graph with an edge
        raise UserError(f"{name} has {len(graph)} nodes, and at least 2 are needed: remove it")
    if not nx.is_connected(graph):
        parts = nx.number_connected_components(graph)
        raise UserError(f"{name} has {parts} components, and graphs must be connected: keep the largest one")
    simple: Graph = nx.Graph()
    simple.add_nodes_from(graph)
    simple.add_edges_from((u, v) for u, v in graph.edges() if u != v)
    return simple


def _list_files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
        if not files:
            raise UserError(f"{path} is a folder without files")
        return files
    if not path.is_file():
        raise UserError(f"{path}: there is no such file or folder of graphs")
    return [path]


def _read(read: Callable[[Path], list[Any]], file: Path) -> list[Any]:
    try:
        graphs = read(file)
    except (nx.NetworkXError, ValueError, KeyError, IndexError, TypeError, UnicodeDecodeError, ParseError) as error:
        raise UserError(f"{file} cannot be read as graphs: {error}") from error
    if not graphs:
        raise UserError(f"{file} has no graph in it")
    return graphs


def _read_graph6(file: Path) -> list[Any]:
    return [nx.from_graph6_bytes(line) for line in _list_lines(file)]


def _read_sparse6(file: Path) -> list[Any]:
    parse: Any = nx.from_sparse6_bytes  # networkx's types have it take a text
    return [parse(line) for line in _list_lines(file)]


def _list_lines(file: Path) -> list[bytes]:
    lines = (line.strip() for line in file.read_bytes().splitlines())
    return [line.removeprefix(b">>graph6<<").removeprefix(b">>sparse6<<") for line in lines if line]


def _read_edges(file: Path) -> list[Any]:
    """A line for each edge: two names, apart by spaces or a comma; what follows them is not read."""
    graph: Graph = nx.Graph()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.partition("#")[0].replace(",", " ").split()
        if len(text) == 1:
            raise ValueError(f"line {number} has one name, and an edge has two")
        if text:
            graph.add_edge(text[0], text[1])
    return [graph] if len(graph) else []


_READERS: dict[str, Callable[[Path], list[Any]]] = {
    ".g6": _read_graph6,
    ".graph6": _read_graph6,
    ".s6": _read_sparse6,
    ".sparse6": _read_sparse6,
    ".graphml": lambda file: [nx.read_graphml(file)],
    ".gml": lambda file: [nx.read_gml(file)],
    ".edgelist": _read_edges,
    ".edges": _read_edges,
    ".txt": _read_edges,
    ".csv": _read_edges,
}

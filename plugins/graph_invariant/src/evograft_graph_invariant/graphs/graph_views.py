"""The edges and degrees of a graph that never changes, listed once.

A program that loops over all edges spends most of its time in networkx's own views, which find out everything anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from networkx.classes.reportviews import DegreeView, EdgeView

from evograft_graph_invariant.graphs.generators import Graph


def install_views(graph: Graph) -> None:
    """Put the views where networkx keeps its own once they were asked for; copies of the graph make their own."""
    vars(graph).update(degree=_KnownDegrees(graph), edges=_KnownEdges(graph))


class _KnownDegrees(DegreeView):  # type: ignore[type-arg] # generic in its stubs only
    """Weighted degrees are computed: a program may set weights."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._plain = DegreeView(graph)
        self._known = dict(self._plain)

    def __call__(self, nbunch: Any = None, weight: Any = None) -> Any:
        if weight is None:
            if nbunch is None:
                return self
            try:
                return self._known[nbunch]
            except (KeyError, TypeError):  # no node, but nodes
                pass
        return self._plain(nbunch, weight)

    def __getitem__(self, node: Any) -> Any:
        return self._known[node]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known.items())


class _KnownEdges(EdgeView):  # type: ignore[type-arg] # generic in its stubs only
    __slots__ = ("_listed",)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._listed = tuple(EdgeView(graph))

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {**state, "_listed": self._listed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc] # missing in its stubs
        self._listed = state["_listed"]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

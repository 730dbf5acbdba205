"""Quantities beyond the columns that every graph has: who knows them, and where their values come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evograft_graph_invariant.graphs.computed_targets import COMPUTED
from evograft_graph_invariant.graphs.function_names import is_function
from evograft_graph_invariant.graphs.generators import Edges
from evograft_graph_invariant.graphs.own_functions import compute_own, digest_function

Origin = Literal["library", "function", "table"]


@dataclass(frozen=True)
class Quantity:
    """A target or a column of the user's."""

    name: str
    reference: str
    """The name of a target, a function as `FILE.py:FUNCTION` or by its entry point, or a column of the user's table."""

    @property
    def origin(self) -> Origin:
        if self.reference in COMPUTED:
            return "library"
        return "function" if is_function(self.reference) else "table"

    def compute(self, n: int, edges: Edges, graph: str) -> float:
        """Return the value of one graph, which errors call by its name."""
        if self.origin == "library":
            return COMPUTED[self.reference](n, edges)
        return compute_own(self.reference, n, edges, graph)

    def digest(self) -> str:
        """Return what a cached value depends on next to its graph."""
        return digest_function(self.reference) if self.origin == "function" else self.reference

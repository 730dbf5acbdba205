"""All connected graphs of two to seven nodes: where bounds that hold on large random graphs break."""

from __future__ import annotations

from evograft_graph_invariant.evaluation.bounds.gaps import Gaps
from evograft_graph_invariant.evaluation.data_splits import ATLAS
from evograft_graph_invariant.graphs.datasets import GraphSet

__all__ = ["ATLAS", "find_counterexample"]


def find_counterexample(gaps: Gaps, graphs: GraphSet) -> str | None:
    """The smallest graph that violates a bound, by nodes and then by edges, with its edges; `None` if none does."""
    wrong = [place for place, violated in enumerate(gaps.violated) if violated]
    if not wrong:
        return None
    place = min(wrong, key=lambda each: (graphs.sizes[each], len(graphs.edges[each])))
    edges = " ".join(f"{u}-{v}" for u, v in graphs.edges[place].tolist())
    return f"{graphs.kinds[place]}: {graphs.sizes[place]} nodes, edges {edges}"

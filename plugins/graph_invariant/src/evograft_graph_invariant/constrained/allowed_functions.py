"""What constrained generation may use without a model: the same pool, as columns of the search."""

from __future__ import annotations

from evograft_graph_invariant.graphs.vocabulary import columns_up_to
from evograft_graph_invariant.search.explorer import Explorer

CALLED = ("math.log",)
"""Beside arithmetic and powers, of which the root is one. Sums, means and extremes of the degrees are columns."""


def constrain_explorer(explorer: Explorer) -> Explorer:
    """The same search among what n, m and the degrees say."""
    pool = frozenset(columns_up_to("degrees"))
    columns = {name: values for name, values in explorer.columns.items() if name in pool}
    return Explorer(explorer.objective, explorer.options, columns=columns, called=CALLED)

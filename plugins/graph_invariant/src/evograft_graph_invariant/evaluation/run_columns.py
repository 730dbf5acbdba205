"""The columns of a run, and what has to be computed for its graphs next to what every graph has."""

from __future__ import annotations

from evograft_graph_invariant.graphs.quantities import Quantity
from evograft_graph_invariant.graphs.targets import DISTANCE_QUANTITIES, find_target, get_allowed_columns
from evograft_graph_invariant.graphs.vocabulary import COLUMN_NAMES
from evograft_graph_invariant.options import GraphInvariantOptions


def list_columns(options: GraphInvariantOptions) -> tuple[str, ...]:
    """Return the columns that candidates and baselines may use, the user's last."""
    return (*get_allowed_columns(options.target, options.level), *options.own_columns)


def list_own_columns(options: GraphInvariantOptions) -> tuple[Quantity, ...]:
    """Return the user's columns."""
    return tuple(Quantity(name, reference) for name, reference in options.own_columns.items())


def list_quantities(options: GraphInvariantOptions) -> tuple[Quantity, ...]:
    """Return the target, unless every graph has it, and the user's columns."""
    name = find_target(options.target).name
    known = name == options.target and name in {*COLUMN_NAMES, *DISTANCE_QUANTITIES}
    return (*(() if known else (Quantity(name, options.target),)), *list_own_columns(options))

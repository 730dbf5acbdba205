"""The names of the user's functions. This module imports no heavy library: options are checked with it."""

from __future__ import annotations

from importlib.metadata import entry_points

GROUP = "evograft.graph_quantities"
"""The group of entry points by which distributions offer functions of graphs."""


def is_function(reference: str) -> bool:
    """Return whether a text names a function, be it there or not."""
    return ":" in reference or reference in entry_points(group=GROUP).names
